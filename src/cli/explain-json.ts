import type { Explanation } from '../start/start.ts';

type Selection = Explanation['tree'][number];

/** A selection and the selections in it. */
export interface ExplainedNode extends Omit<Selection, 'level'> {
  readonly children: readonly ExplainedNode[];
}

/** An explanation for programs: the same facts, the tree nested. */
export function toExplainJson({ tree, ...explanation }: Explanation): object {
  return { ...explanation, tree: nest(tree) };
}

function nest(selections: readonly Selection[]): readonly ExplainedNode[] {
  const roots: ExplainedNode[] = [];
  const open: ExplainedNode[][] = [roots];
  for (const { level, ...selection } of selections) {
    const children: ExplainedNode[] = [];
    open.length = level + 1;
    open[level]?.push({ ...selection, children });
    open.push(children);
  }
  return roots;
}
