/** The name most likely meant by a misspelt one; `undefined` if none is similar. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const wanted = typed.toUpperCase().replaceAll(/[-. ]/g, '_').slice(0, 64);
  const maxDistance = Math.max(2, Math.floor(wanted.length / 3));
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names) {
    const distance = editDistance(wanted, name);
    if (distance <= maxDistance && (!best || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/**
 * The setting whose name a variable of the environment misspells; `undefined` for a variable of another program. Stricter than
 * for the configuration file, because an environment has many valid names such as `REDIS_PORT`.
 */
export function misspeltName(typed: string, names: readonly string[]): string | undefined {
  const wanted = typed.toUpperCase().replaceAll(/[-.]/g, '_');
  if (wanted.length > longestName) return undefined;
  return names.find(
    (name) =>
      name === wanted ||
      isUnitMissing(wanted, name) ||
      isSingular(wanted, name) ||
      hasDoubledLetter(wanted, name) ||
      isWithin(wanted, name, maxTyposOf(name)),
  );
}

/** Compares lengths first: an environment may have a hundred variables, each compared with every setting. */
function isWithin(wanted: string, name: string, slips: number): boolean {
  return Math.abs(wanted.length - name.length) <= slips && editDistance(wanted, name) <= slips;
}

/** Longer than any setting with a few typos. Longer names are not compared, which would take long. */
const longestName = 48;

/** Maximum number of typos: none for `HOST`, which is close to `HOME`. */
function maxTyposOf(name: string): number {
  return name.length < 7 ? 0 : Math.min(2, Math.max(1, Math.floor(name.length / 6)));
}

/** `TRUSTED_PROXY` for `TRUSTED_PROXIES`. Other plurals are one typo away. */
function isSingular(wanted: string, name: string): boolean {
  return name.endsWith('IES') && wanted === `${name.slice(0, -3)}Y`;
}

/** `PORTT` for `PORT`. `PORTS` and `HOSTS` may be another program's. */
function hasDoubledLetter(wanted: string, name: string): boolean {
  if (wanted.length !== name.length + 1) return false;
  const at = [...wanted].findIndex((letter, index) => letter !== name[index]);
  return at > 0 && wanted[at] === wanted[at - 1] && wanted.slice(at + 1) === name.slice(at);
}

/** `REQUEST_TIMEOUT` for `REQUEST_TIMEOUT_MS`. */
function isUnitMissing(wanted: string, name: string): boolean {
  return wanted.includes('_') && name.startsWith(`${wanted}_`) && !name.slice(wanted.length + 1).includes('_');
}

/** Damerau-Levenshtein distance: single characters added, removed, replaced, or swapped with the next. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const areSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = areSwapped ? (before[column - 2] ?? row) + 1 : replaced;
      current.push(Math.min(replaced, swapped, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    before = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
}
