import { policyCheckCommand } from './check-policy.ts';
import type { Command } from './command.ts';
import { configCheckCommand, configSchemaCommand } from './config-commands.ts';
import { explainCommand } from './explain-file.ts';
import { keysNewCommand } from './keys-new.ts';
import { auditCommand } from './run-audit.ts';
import { devnetCommand } from './run-devnet.ts';
import { schemaCheckCommand, schemaPrintCommand, schemaPullCommand } from './run-schema.ts';
import { serveCommand, workerCommand } from './run-serve.ts';
import { tailCommand } from './run-tail.ts';

/** In the order of the help. */
export const commands: readonly Command[] = [
  serveCommand,
  workerCommand,
  devnetCommand,
  tailCommand,
  schemaPrintCommand,
  schemaPullCommand,
  schemaCheckCommand,
  configCheckCommand,
  configSchemaCommand,
  explainCommand,
  policyCheckCommand,
  auditCommand,
  keysNewCommand,
];

/** The commands whose name begins with a word. */
export const commandsOf = (word: string): readonly Command[] =>
  commands.filter(({ name, usage }) => usage.length > 0 && name.split(' ')[0] === word);

/** The first words of the commands for users. */
export const commandWords: readonly string[] = [
  ...new Set(commands.filter(({ usage }) => usage.length > 0).map(({ name }) => name.split(' ')[0] ?? '')),
];
