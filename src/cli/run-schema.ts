import { ConfigError } from '../config/config-error.ts';
import { anyText } from '../config/value-types.ts';
import type { SchemaChange } from '../start/read-schema.ts';
import { type CliWorld, orExitCode } from './cli-world.ts';
import { defineCommand } from './command.ts';

const gateway = { about: "the whole graph over that ledger, not only the ledger's own schema" };

export const schemaPrintCommand = defineCommand({
  name: 'schema print',
  usage: [['', 'print the graph as served on the simulated network']],
  options: { federation: { about: 'print the graph over the configured ledger as a Federation 2 subgraph' } },
  examples: [
    'ledger-gateway schema print > public.graphql',
    'ledger-gateway schema print --federation > subgraph.graphql',
  ],
  run: ({ federation }, world) => orExitCode(1, world, () => printSchema(federation, world)),
});

export const schemaPullCommand = defineCommand({
  name: 'schema pull',
  usage: [['', 'print the schema of the ledger at LEDGER_GRAPHQL_URL']],
  options: { out: { type: anyText, shown: 'FILE', about: 'write the schema to FILE' }, gateway },
  examples: ['LEDGER_GRAPHQL_URL=https://graphql.example.net ledger-gateway schema pull --out ledger.graphql'],
  run: (given, world) => orExitCode(1, world, () => pullSchema(given.out, given.gateway, world)),
});

export const schemaCheckCommand = defineCommand({
  name: 'schema check',
  usage: [['FILE', "list how the ledger's schema differs from the one in FILE"]],
  options: { gateway },
  maxFiles: 1,
  notes: `schema check lists breaking, dangerous and safe changes. Its exit code is 1 for a breaking change, 2 if it cannot compare, and 0
otherwise.`,
  examples: ['LEDGER_GRAPHQL_URL=https://graphql.example.net ledger-gateway schema check ledger.graphql'],
  check: (_, [file]) =>
    file === undefined ? 'schema check needs a file with the schema from before, as schema pull writes it' : null,
  // A failed check must not look like a breaking change.
  run: (given, world, [file = '']) => orExitCode(2, world, () => checkSchema(file, given.gateway, world)),
});

async function printSchema(isFederation: boolean, { env, readFile, services, writeOut }: CliWorld): Promise<number> {
  const { readConfig } = await import('../start/read-config.ts');
  const config = readConfig({ env: isFederation ? env : {}, readFile });
  writeOut(await services.readSchema(isFederation ? 'subgraph' : 'graph', config));
  return 0;
}

async function pullSchema(file: string | null, isGateway: boolean, world: CliWorld): Promise<number> {
  const sdl = await readRemoteSchema(isGateway, world);
  if (file === null) world.writeOut(sdl);
  else world.writeFile(file, sdl);
  return 0;
}

async function checkSchema(file: string, isGateway: boolean, world: CliWorld): Promise<number> {
  const saved = world.readFile(file);
  const current = await readRemoteSchema(isGateway, world);
  const { compareSdl } = await import('../start/read-schema.ts');
  let changes: readonly SchemaChange[];
  try {
    changes = await compareSdl(saved, current);
  } catch (error) {
    throw new Error(`${file} is not a schema in SDL: ${error instanceof Error ? error.message : error}`);
  }
  world.writeOut(toChangesText(changes));
  return changes.some(({ kind }) => kind === 'breaking') ? 1 : 0;
}

async function readRemoteSchema(isGateway: boolean, { env, readFile, services }: CliWorld): Promise<string> {
  const { readConfig } = await import('../start/read-config.ts');
  const config = readConfig({ env, readFile });
  // Checking the simulated network by mistake would look like checking the real one.
  if (config.upstreams.kind === 'devnet')
    throw new ConfigError([{ key: 'LEDGER_GRAPHQL_URL', expected: "the ledger's address", got: 'nothing' }]);
  return services.readSchema(isGateway ? 'graph' : 'ledger', config);
}

function toChangesText(changes: readonly SchemaChange[]): string {
  if (changes.length === 0) return 'no changes, apart from descriptions and order\n';
  const sections = (['breaking', 'dangerous', 'safe'] as const).flatMap((wanted) => {
    const texts = changes.filter(({ kind }) => kind === wanted).map(({ text }) => `  ${text}\n`);
    return texts.length > 0 ? [`${wanted} (${texts.length})\n${texts.join('')}`] : [];
  });
  return sections.join('\n');
}
