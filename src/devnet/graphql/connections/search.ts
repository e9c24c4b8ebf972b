/** The first index in [0, length) for which `isAtOrAbove` holds, it holding for all that follow; else `length`. */
export function lowerBound(length: number, isAtOrAbove: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAtOrAbove(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
