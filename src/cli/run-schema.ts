import { ConfigError } from '../config/config-error.ts';
import type { SchemaChange } from '../start/read-schema.ts';
import { type CliWorld, toFailureLine } from './cli-world.ts';
import type { Command } from './command.ts';

type SchemaCommand = Extract<Command, { readonly name: `schema ${string}` }>;

/**
 * Resolves with the exit code: 0 done, 1 failed or a breaking change, 2 the file, the configuration or the ledger is unusable.
 */
export async function runSchema(command: SchemaCommand, world: CliWorld): Promise<number> {
  try {
    switch (command.name) {
      case 'schema print':
        return await printSchema(command, world);
      case 'schema pull':
        return await pullSchema(command, world);
      case 'schema check':
        return await checkSchema(command, world);
    }
  } catch (error) {
    const isMistake = error instanceof ConfigError;
    world.writeError(isMistake ? `${error.message}\n` : toFailureLine(error));
    // A failed check must not look like a breaking change.
    return isMistake || command.name === 'schema check' ? 2 : 1;
  }
}

async function printSchema({ isFederation }: SchemaCommand & { readonly name: 'schema print' }, world: CliWorld) {
  const { env, readFile, services, writeOut } = world;
  const { readConfig } = await import('../start/read-config.ts');
  const config = readConfig({ env: isFederation ? env : {}, readFile });
  writeOut(await services.readSchema(isFederation ? 'subgraph' : 'graph', config));
  return 0;
}

async function pullSchema({ file, isGateway }: SchemaCommand & { readonly name: 'schema pull' }, world: CliWorld) {
  const sdl = await readRemoteSchema(isGateway, world);
  if (file === null) world.writeOut(sdl);
  else world.writeFile(file, sdl);
  return 0;
}

async function checkSchema({ file, isGateway }: SchemaCommand & { readonly name: 'schema check' }, world: CliWorld) {
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
