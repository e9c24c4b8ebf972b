import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { redactFields, redactText } from './redact-fields.ts';
import { createToRequestLine, isRequestLine } from './request-line.ts';

export type { Logger };

export interface LoggerOptions {
  /** Lines less severe than this are not written. */
  readonly level: Config['logLevel'];
  /**
   * Where lines go, each a JSON object and a line end. Default: standard output, where lines of requests are written
   * together, a tenth of a second late at most, and everything else at once.
   */
  readonly destination?: DestinationStream;
}

const { info } = pino.levels.values;
/** As many bytes of request lines are written together. */
const heldBytes = 8_192;
const heldMs = 100;

/**
 * A JSON logger that cannot be made to print a credential by its fields or its message: whatever is logged goes through
 * the redaction first, the bindings of child loggers too. Time is ISO 8601, the level a word.
 */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  const output: LineOutput = destination ? { now: destination, held: destination } : createStandardOutput();
  const toRequestLine = createToRequestLine(Date.now);
  const logger: Logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Errors have become plain objects by then; pino's own serialiser would take them apart once more.
      serializers: { err: (value: unknown) => value },
      hooks: {
        // Not `formatters.log`: pino takes the message of an error before it formats the fields.
        logMethod(args, method, level) {
          const [fields, message] = args as unknown[];
          if (isRequestLine(fields) && typeof message === 'string' && level === info && this === logger) {
            output.held.write(toRequestLine(fields, message));
            return;
          }
          method.apply(this, args.map(toSafeArgument) as typeof args);
        },
      },
    },
    output.now,
  );
  // pino does not run its formatters over the bindings of children.
  const child = logger.child;
  logger.child = function (this: Logger, bindings, options) {
    return child.call(this, redactFields(bindings), options);
  } as typeof child;
  return logger;
}

interface LineOutput {
  /** Writes at once. */
  readonly now: DestinationStream;
  /** May wait for more. */
  readonly held: DestinationStream;
}

/** Standard output: what is held is written with what comes next, in its order. */
function createStandardOutput(): LineOutput {
  const stream = pino.destination({ fd: 1, sync: true });
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const release = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting !== '') stream.write(waiting);
    waiting = '';
  };
  return {
    now: {
      write(line) {
        release();
        stream.write(line);
      },
    },
    held: {
      write(line) {
        waiting += line;
        if (waiting.length >= heldBytes) release();
        // The process stays for that long.
        else timer ??= setTimeout(release, heldMs);
      },
    },
  };
}

/** The fields come first, the message and what is formatted into it after them. */
function toSafeArgument(argument: unknown, index: number): unknown {
  if (typeof argument === 'string') return redactText(argument);
  if (typeof argument !== 'object' || argument === null) return argument;
  if (index === 0 && !(argument instanceof Error)) return redactFields(argument as Record<string, unknown>);
  const { err } = redactFields({ err: argument });
  return index === 0 ? { err } : err;
}
