import { parseArgs } from 'node:util';
import { measureOperation } from './micro/measure-operation.ts';
import { createMicroOperations } from './micro/operations.ts';

const help = `Usage: npm run bench -- [options]

  --only TEXT      operations whose name has this text
  --rounds N       timed rounds of each (default 15)
  --round-ms N     length of one round in milliseconds (default 100)
  --help
`;

/** Resolves with the exit code: 0 measured, 2 bad options. */
export async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n`);
    return 2;
  }
  if (options === null) {
    process.stdout.write(help);
    return 0;
  }
  const operations = createMicroOperations(process.cwd());
  process.stdout.write(`${'nanoseconds per call'.padEnd(54)}${['median', 'min', 'max'].map(toCell).join('')}\n`);
  for (const { name, run } of operations) {
    if (!name.includes(options.only)) continue;
    const { median, min, max } = measureOperation(run, { ...options, now: process.hrtime.bigint });
    const cells = [median, min, max].map((ns) => toCell(ns.toFixed(0)));
    process.stdout.write(`${name.padEnd(54)}${cells.join('')}\n`);
  }
  return 0;
}

function toCell(text: string): string {
  return text.padStart(12);
}

/** `null` where help was asked for; a text where an option is wrong. */
function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', default: '' },
        rounds: { type: 'string', default: '15' },
        'round-ms': { type: 'string', default: '100' },
        help: { type: 'boolean', default: false },
      },
    });
    const [rounds, roundMs] = [Number(values.rounds), Number(values['round-ms'])];
    const areWhole = [rounds, roundMs].every((value) => Number.isInteger(value) && value >= 1 && value <= 60_000);
    if (!areWhole) return '--rounds and --round-ms take whole numbers from 1 to 60000';
    return values.help ? null : { only: values.only, rounds, roundMs };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
