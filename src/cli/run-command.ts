import type { CliWorld } from './cli-world.ts';
import type { Command, UsageError } from './command.ts';
import { checkConfig, printConfigSchema } from './config-command.ts';
import { explainFile } from './explain-file.ts';
import { toFailureLine } from './failure-line.ts';
import { helpText } from './help-text.ts';
import { makeKey } from './make-key.ts';
import { runDevnet } from './run-devnet.ts';
import { runServe } from './run-serve.ts';
import { runWorker } from './run-worker.ts';

/** Runs one command to its end. Resolves with the exit code; 2 means that the caller has to change something. */
export async function runCommand(command: Command | UsageError, world: CliWorld): Promise<number> {
  switch (command.name) {
    case 'serve':
      return runServe(world);
    case 'worker':
      return runWorker(world);
    case 'devnet':
      return runDevnet(command, world);
    case 'keys new':
      return makeKey(command, world);
    case 'explain':
      return explainFile(command, world);
    case 'schema print':
      return printSchema(world);
    case 'config check':
      return checkConfig(world);
    case 'config schema':
      return printConfigSchema(world);
    case 'help':
      world.writeOut(helpText);
      return 0;
    case 'version':
      world.writeOut(`${world.version}\n`);
      return 0;
    case 'usage error':
      world.writeError(`ledger-gateway: ${command.message} (see --help)\n`);
      return 2;
  }
}

async function printSchema({ services, writeOut, writeError }: CliWorld): Promise<number> {
  try {
    writeOut(ensureLineEnd(await services.printPublicSchema()));
    return 0;
  } catch (error) {
    writeError(toFailureLine(error));
    return 1;
  }
}

function ensureLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
