/** The name most likely meant by a mistyped one; `undefined` when none is similar. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const wanted = typed.toUpperCase().replaceAll(/[-. ]/g, '_').slice(0, 64);
  const tolerated = Math.max(2, Math.floor(wanted.length / 3));
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names) {
    const distance = editDistance(wanted, name);
    if (distance <= tolerated && (!best || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** Levenshtein: single characters added, removed or replaced. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
