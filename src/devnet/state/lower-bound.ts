/**
 * The first index in [0, length) at which `isAtOrAbove` holds, given that it holds for all that follow; `length` if
 * there is none.
 */
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
