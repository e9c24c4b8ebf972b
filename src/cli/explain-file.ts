import { ConfigError, quoteText } from '../config/config-error.ts';
import { parseManifest } from '../config/document-manifest.ts';
import { anyText, jsonObject } from '../config/value-types.ts';
import type { Explanation, ManifestExplanation } from '../start/start.ts';
import { type CliWorld, orExitCode, toFailureLine } from './cli-world.ts';
import { defineCommand, type GivenOptions } from './command.ts';

const explainOptions = {
  variables: {
    type: jsonObject,
    shown: 'JSON',
    about: 'variables of the operation, a JSON object; with --manifest, of every document',
  },
  operation: { type: anyText, shown: 'NAME', about: 'the operation to explain, if the file has several' },
  manifest: {
    type: anyText,
    shown: 'FILE',
    about: 'price a manifest of trusted documents; required variables may be missing',
  },
  json: { about: 'print JSON' },
};

export const explainCommand = defineCommand({
  name: 'explain',
  usage: [
    ['FILE', 'show the cost of an operation and whether it would be served; - = standard input'],
    ['--manifest FILE', 'the same for each trusted document of a manifest'],
  ],
  options: explainOptions,
  maxFiles: 1,
  notes: `explain uses the settings of serve. It calls no upstream, and reads the schema from SCHEMA_CACHE_FILE, or else uses the simulated
network's. Its exit code is 0 if every operation would be served, 1 if one would be rejected, and 2 if explain fails.`,
  examples: ['ledger-gateway explain query.graphql --variables \'{"count": 50}\''],
  check: ({ manifest, operation }, [file]) => {
    if (manifest === null)
      return file === undefined
        ? 'explain needs a file with an operation, - for standard input, or --manifest FILE'
        : null;
    if (file !== undefined) return `Unexpected argument ${quoteText(file)}`;
    return operation === null ? null : '--operation names an operation of a file, not of a manifest';
  },
  run: (given, world, [file = '']) =>
    orExitCode(exitCodes.mistake, world, () =>
      (given.manifest === null ? explainFile : explainManifestFile)(given, world, file),
    ),
});

type Given = GivenOptions<typeof explainOptions>;

/** Maximum of selections in the text output; a query within its limits rarely has more, and `--json` has all. */
const maxLines = 200;

const exitCodes = { served: 0, refused: 1, mistake: 2, interrupted: 130 } as const;

/**
 * Explains the operation in a file. Resolves with the exit code: 0 it would be served, 1 it would be rejected, 2 the file, the
 * configuration or the cached schema is unusable.
 */
async function explainFile({ variables, operation, json }: Given, world: CliWorld, file: string): Promise<number> {
  const config = (await import('../start/read-config.ts')).readConfig(world);
  const query = await (file === '-'
    ? Promise.race([world.readInput(), world.stopRequested.then(() => undefined)])
    : world.readFile(file));
  if (query === undefined) return exitCodes.interrupted;
  const request = { query, variables: variables ?? {}, operationName: operation };
  const explanation = await world.services.explainOperation(request, config);
  warnOfSchema(explanation, world);
  world.writeOut(
    json
      ? `${JSON.stringify(toExplainJson(explanation), null, 2)}\n`
      : toExplainText(explanation, { isColoured: isColoured(world), maxLines }),
  );
  return explanation.refused ? exitCodes.refused : exitCodes.served;
}

/** Prices the documents of a manifest. Resolves with the exit code: 1 if one of them would be rejected, else as above. */
async function explainManifestFile({ manifest: path, variables, json }: Given, world: CliWorld): Promise<number> {
  const config = (await import('../start/read-config.ts')).readConfig(world);
  const manifest = parseManifest(world.readFile(path ?? ''), '--manifest');
  if ('mistakes' in manifest) throw new ConfigError(manifest.mistakes);
  const explanation = await world.services.explainManifest(manifest, variables ?? {}, config);
  warnOfSchema(explanation, world);
  world.writeOut(json ? `${JSON.stringify(explanation, null, 2)}\n` : toManifestText(explanation, isColoured(world)));
  return explanation.documents.some(({ refused }) => refused) ? exitCodes.refused : exitCodes.served;
}

function warnOfSchema({ schema: { note } }: Pick<Explanation, 'schema'>, world: CliWorld): void {
  if (note !== null) world.writeError(toFailureLine(`${note}; going by the schema shipped`));
}

function isColoured({ isTerminal, env }: CliWorld): boolean {
  return isTerminal && !env.NO_COLOR;
}

/** A line for each operation: its cost, then its name, and the reasons if it would be rejected. */
function toManifestText({ documents, schema }: ManifestExplanation, withColours: boolean): string {
  const paint = withColours ? coloured : plain;
  const heads = ['plan', 'input nodes', 'output nodes', 'depth', 'calls', 'points'];
  const rows = documents.map(({ usage, plan, upstreamCalls, ratePoints }) => [
    plan ?? '-',
    ...[usage.inputNodes, usage.outputNodes, usage.depth].map(toNumber),
    upstreamCalls == null ? '-' : toNumber(upstreamCalls),
    toNumber(ratePoints),
  ]);
  const [head, ...cells] = alignRows([heads, ...rows]);
  const lines = documents.map(({ id, name, refused, reasons }, index) => {
    const line = `${cells[index]}  ${name ?? id}`;
    return refused ? paint.bad(`${line}: would be refused: ${reasons.join(' and: ')}`) : line;
  });
  const refused = documents.filter((document) => document.refused).length;
  const total = `${toNumber(documents.length)} operations, ${refused === 0 ? 'all served' : `${toNumber(refused)} refused`}`;
  const source = `schema: ${schemaName(schema.origin)}`;
  return [`${head}  document`, ...lines, '', refused === 0 ? paint.good(total) : paint.bad(total), source, ''].join(
    '\n',
  );
}

function schemaName(origin: Explanation['schema']['origin']): string {
  return origin === 'kept' ? 'the one kept in SCHEMA_CACHE_FILE' : 'the one shipped';
}

type Selection = Explanation['tree'][number];

export interface ExplainedNode extends Omit<Selection, 'level'> {
  readonly children: readonly ExplainedNode[];
}

/** An explanation as JSON: the same facts, as a nested tree. */
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

export interface ExplainTextOptions {
  /** For a terminal with colours. */
  readonly isColoured: boolean;
  /** Maximum of selections shown. The others are summarized. */
  readonly maxLines: number;
}

interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly faint: (text: string) => string;
}

/** An explanation as text: verdict, limits, plan and calls, then the query as a tree with the cost of each field. */
export function toExplainText(explanation: Explanation, { isColoured, maxLines }: ExplainTextOptions): string {
  const paint = isColoured ? coloured : plain;
  const parts = [
    toVerdict(explanation, paint),
    toLimits(explanation, paint),
    toFacts(explanation),
    toTree(explanation, maxLines, paint),
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line.trimEnd()}\n`).join(''))
    .join('\n');
}

function toVerdict({ refused, reasons, offending }: Explanation, paint: Paint): string[] {
  if (!refused) return [paint.good('served')];
  const [first = '', ...others] = reasons;
  const position = [
    offending?.path && offending.path.length > 0 ? `at ${offending.path.join('.')}` : null,
    offending?.line ? `line ${offending.line}, column ${offending.column}` : null,
  ].filter((text) => text !== null);
  return [
    paint.bad(`would be refused: ${first}`),
    ...(position.length > 0 ? [`  ${position.join(', ')}`] : []),
    ...others.map((reason) => paint.bad(`  and: ${reason}`)),
  ];
}

function toLimits({ limits }: Explanation, paint: Paint): string[] {
  const rows = limits.map(({ name, used, max }) => [name, toNumber(used), toNumber(max)] as const);
  const [head = '', ...lines] = alignRows([['limit', 'used', 'max'], ...rows]);
  return [head, ...lines.map((line, index) => (limits[index]?.exceeded ? paint.bad(`${line}  exceeded`) : line))];
}

function toFacts({ usage, plan, upstreamCalls, ratePoints, schema }: Explanation): string[] {
  const facts = [
    ['plan', plan ?? 'none: it is refused'],
    ['upstream calls', upstreamCalls == null ? 'not counted' : toNumber(upstreamCalls)],
    ['rate points', toNumber(ratePoints)],
    ['variables', toNumber(usage.variables)],
    ['fragments', toNumber(usage.fragments)],
    ['text', `${toNumber(usage.queryPayload)} bytes`],
    ['schema', schemaName(schema.origin)],
    ['limits', `LIMIT_* where stricter, else those ${schema.origin} with the schema`],
  ] as const;
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

function toTree({ tree, usage, isTreeCut }: Explanation, maxLines: number, paint: Paint): string[] {
  if (tree.length === 0) return [];
  const shown = tree.slice(0, maxLines);
  const isCounted = tree.some(({ cost }) => cost !== null);
  const heading = isCounted ? 'output nodes' : 'not counted';
  const width = Math.max(heading.length, toNumber(usage.outputNodes).length);
  const lines = shown.map((selection) => toTreeLine(selection, width, paint));
  const isCut = isTreeCut || tree.length > shown.length;
  if (isCut) lines.push(toRest(shown, { usage, isCounted }, width));
  const total = isCounted ? [`${toNumber(usage.outputNodes).padStart(width)}  in all`] : [];
  return [heading.padStart(width), ...lines, ...total];
}

function toTreeLine(
  { level, text, cost, kind, connection, times, isOffending }: Selection,
  width: number,
  paint: Paint,
) {
  const nodes = kind === 'field' && cost !== null ? toNumber(cost) : '';
  const notes = [
    connection && `connection, ${connection.argument ?? 'first'}: ${toNumber(connection.pageSize)}`,
    connection && connection.argument === null ? '(default)' : null,
    times === null ? null : `× ${toNumber(times)}`,
  ].filter((note) => note !== null);
  const line = `${nodes.padStart(width)}  ${'  '.repeat(level)}${text}`;
  const note = notes.length > 0 ? paint.faint(`  ${notes.join(' ')}`) : '';
  return isOffending ? `${paint.bad(line)}${note}${paint.bad('  <== refused here')}` : `${line}${note}`;
}

function toRest(
  shown: readonly Selection[],
  { usage, isCounted }: { readonly usage: Explanation['usage']; readonly isCounted: boolean },
  width: number,
): string {
  if (!isCounted) return `${''.padStart(width)}  ... and more`;
  const nodes = usage.outputNodes - shown.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  const selections = usage.inputNodes - shown.filter(({ kind }) => kind !== 'operation').length;
  return `${toNumber(nodes).padStart(width)}  ... in ${toNumber(selections)} more selections`;
}

/** Rows as lines of aligned cells: the first column to the left, the others, which hold numbers, to the right. */
function alignRows(rows: readonly (readonly string[])[]): string[] {
  const widthAt = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widthAt(column)) : cell.padStart(widthAt(column));
  return rows.map((row) => row.map(pad).join('  '));
}

function toNumber(value: number): string {
  return value.toLocaleString('en-US');
}

const plain: Paint = { good: (text) => text, bad: (text) => text, faint: (text) => text };
const inColour = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[0m`;
const coloured: Paint = { good: inColour(32), bad: inColour(31), faint: inColour(2) };
