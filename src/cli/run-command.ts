import type { CliWorld } from './cli-world.ts';
import { commands } from './commands.ts';
import { helpOf } from './help-text.ts';
import type { ParsedArguments } from './parse-arguments.ts';

/** Runs one command to its end. Resolves with the exit code; 2 means that the user must correct something. */
export async function runCommand(parsed: ParsedArguments, world: CliWorld): Promise<number> {
  switch (parsed.kind) {
    case 'help':
      world.writeOut(helpOf(parsed.word));
      return 0;
    case 'version':
      world.writeOut(`${world.version}\n`);
      return 0;
    case 'usage error':
      world.writeError(`ledger-gateway: ${parsed.message} (see --help)\n`);
      return 2;
    case 'command': {
      const command = commands.find(({ name }) => name === parsed.name);
      if (!command) throw new Error(`there is no command ${parsed.name}`);
      return command.run(parsed.given, world, parsed.files);
    }
  }
}
