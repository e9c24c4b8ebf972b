/**
 * A combination of tests in normal form: nested lists of one kind become one sorted list without duplicates. Filters that mean the
 * same by these rules have the same key, so that one reader serves both.
 */
export type FilterTree<Leaf> =
  | { readonly kind: 'leaf'; readonly key: string; readonly leaf: Leaf }
  /** Of no parts: matches everything, or nothing. */
  | { readonly kind: 'all' | 'any'; readonly key: string; readonly parts: readonly FilterTree<Leaf>[] }
  | { readonly kind: 'not'; readonly key: string; readonly part: FilterTree<Leaf> };

/** @param key JSON text; the same for leaves that test the same */
export function leafOf<Leaf>(key: string, leaf: Leaf): FilterTree<Leaf> {
  return { kind: 'leaf', key, leaf };
}

export function combine<Leaf>(kind: 'all' | 'any', given: readonly FilterTree<Leaf>[]): FilterTree<Leaf> {
  const flat = given.flatMap((part) => (part.kind === kind ? part.parts : [part]));
  const byKey = new Map(flat.map((part) => [part.key, part]));
  const other = kind === 'all' ? 'any' : 'all';
  // An empty `any` (no event) decides a list of all; an empty `all` (every event) decides a list of any.
  const decisive = flat.find((part) => part.kind === other && part.parts.length === 0);
  if (decisive) return decisive;
  const parts = [...byKey].sort(([one], [next]) => (one < next ? -1 : 1)).map(([, part]) => part);
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return { kind, key: `{"${kind}":[${parts.map(({ key }) => key).join(',')}]}`, parts };
}

export function negate<Leaf>(part: FilterTree<Leaf>): FilterTree<Leaf> {
  if (part.kind === 'not') return part.part;
  if (part.kind !== 'leaf' && part.parts.length === 0) return combine(part.kind === 'all' ? 'any' : 'all', []);
  return { kind: 'not', key: `{"not":${part.key}}`, part };
}

export function matchesTree<Leaf>(tree: FilterTree<Leaf>, test: (leaf: Leaf) => boolean): boolean {
  switch (tree.kind) {
    case 'leaf':
      return test(tree.leaf);
    case 'all':
      return tree.parts.every((part) => matchesTree(part, test));
    case 'any':
      return tree.parts.some((part) => matchesTree(part, test));
    case 'not':
      return !matchesTree(tree.part, test);
  }
}

/** The maximum number of tests for one event. */
export function countLeaves<Leaf>(tree: FilterTree<Leaf>): number {
  if (tree.kind === 'leaf') return 1;
  if (tree.kind === 'not') return countLeaves(tree.part);
  return tree.parts.reduce((sum, part) => sum + countLeaves(part), 0);
}

/** The leaves that every matching event must match. */
export function necessaryLeaves<Leaf>(tree: FilterTree<Leaf>): readonly Leaf[] {
  if (tree.kind === 'leaf') return [tree.leaf];
  return tree.kind === 'all' ? tree.parts.flatMap((part) => (part.kind === 'leaf' ? [part.leaf] : [])) : [];
}
