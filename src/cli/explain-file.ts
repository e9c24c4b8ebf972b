import { ConfigError } from '../config/config-error.ts';
import type { Explanation } from '../start/start.ts';
import { type CliWorld, toFailureLine } from './cli-world.ts';
import type { Command } from './command.ts';
import { toExplainText } from './explain-text.ts';

/** Selections in the text output; a query within its limits rarely has more, and `--json` has all. */
const maxLines = 200;

const exitCodes = { served: 0, refused: 1, mistake: 2, interrupted: 130 } as const;

/**
 * Explains the operation in a file. Resolves with the exit code: 0 it would be served, 1 it would be refused, 2 the
 * file, the configuration or the kept schema cannot be used.
 */
export async function explainFile(command: Command & { readonly name: 'explain' }, world: CliWorld): Promise<number> {
  const { file, variables, operationName, isJson } = command;
  let explanation: Explanation;
  try {
    const config = await world.services.readConfig(world);
    const query = await (file === '-'
      ? Promise.race([world.readInput(), world.stopRequested.then(() => undefined)])
      : world.readFile(file));
    if (query === undefined) return exitCodes.interrupted;
    explanation = await world.services.explainOperation({ query, variables, operationName }, config);
  } catch (error) {
    world.writeError(error instanceof ConfigError ? `${error.message}\n` : toFailureLine(error));
    return exitCodes.mistake;
  }
  const { note } = explanation.schema;
  if (note !== null) world.writeError(toFailureLine(`${note}; going by the schema shipped`));
  const isColoured = world.isTerminal && !world.env.NO_COLOR;
  world.writeOut(
    isJson
      ? `${JSON.stringify(toExplainJson(explanation), null, 2)}\n`
      : toExplainText(explanation, { isColoured, maxLines }),
  );
  return explanation.refused ? exitCodes.refused : exitCodes.served;
}

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
