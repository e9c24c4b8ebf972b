import { type DestinationStream, type Logger, pino } from 'pino';
import type { LoggerOptions, LogWriter } from './log-writer.ts';
import { redactFields, redactText } from './redact-fields.ts';

export type { Logger };

const { info } = pino.levels.values;
/** Buffered request lines are written at this size or this age, because each write costs a system call. */
const heldBytes = 8_192;
const heldMs = 100;
/** Bytes that a pipe writes atomically (`PIPE_BUF`), so that no other process writes into the middle of a line. */
const atomicBytes = 4_096;

/**
 * A JSON logger that redacts credentials in fields, messages and the bindings of child loggers before it writes them. Time is
 * ISO 8601, the level a word.
 */
export function createLogger({
  level,
  pid,
  destination,
}: LoggerOptions & {
  /** Process id, written in every line if several processes share the log. */
  readonly pid?: number | undefined;
}): Logger {
  const output: LineOutput = destination
    ? { now: destination, held: destination }
    : createLineOutput(pino.destination({ fd: 1, sync: true }), pid === undefined ? heldBytes : atomicBytes);
  const toRequestLine = createToRequestLine(Date.now, pid ?? null);
  const logger: Logger = pino(
    {
      level,
      base: pid === undefined ? null : { pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // `logMethod` has already made errors plain objects, which pino's own serialiser would mangle.
      serializers: { err: (value: unknown) => value },
      hooks: {
        // Redact here and not in `formatters.log`: pino copies an error's message before it calls that.
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
  durableWriters.set(logger, (fields, message) => output.now.write(toRequestLine(fields, message)));
  // pino does not pass the bindings of children through `logMethod`: redact them here.
  const child = logger.child;
  logger.child = function (this: Logger, bindings, options) {
    return child.call(this, redactFields(bindings), options);
  } as typeof child;
  return logger;
}

type WriteLine = (fields: RequestLineFields, message: string) => void;

const durableWriters = new WeakMap<LogWriter, WriteLine>();

/**
 * Writes a line at any level, and before it returns, so that a crash cannot lose it. A logger that `createLogger` did not make
 * decides itself.
 */
export function logDurably(logger: LogWriter, ...line: Parameters<WriteLine>): void {
  const write = durableWriters.get(logger);
  if (write) write(...line);
  else logger.info(...line);
}

interface LineOutput {
  readonly now: DestinationStream;
  /** May buffer lines and write them later together. */
  readonly held: DestinationStream;
}

/**
 * Writes to a stream. An immediate line is written together with the buffered ones before it, so lines keep their order.
 * @param most bytes that are written together, unless one line has more
 */
export function createLineOutput(stream: DestinationStream, most: number): LineOutput {
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
        waiting += line;
        release();
      },
    },
    held: {
      write(line) {
        // Request lines are ASCII, operation names included, so each character is a byte.
        if (waiting.length + line.length > most) release();
        waiting += line;
        if (waiting.length >= most) release();
        // No `unref`, so that the process does not end before its last lines are written.
        else timer ??= setTimeout(release, heldMs);
      },
    },
  };
}

/** Argument 0 holds the fields; the message and its format values follow. */
function toSafeArgument(argument: unknown, index: number): unknown {
  if (typeof argument === 'string') return redactText(argument);
  if (typeof argument !== 'object' || argument === null) return argument;
  if (index === 0 && !(argument instanceof Error)) return redactFields(argument as Record<string, unknown>);
  const { err } = redactFields({ err: argument });
  return index === 0 ? { err } : err;
}

/**
 * The fast path for the line of each request. Fields with this method print themselves, as members of a JSON object without
 * its braces. They must contain no text that could be a credential, because they skip the redaction. Written the general way,
 * this line would be a sixth of the memory that a small request allocates.
 */
export const requestLine: unique symbol = Symbol('requestLine');

export interface RequestLineFields {
  readonly [requestLine]: () => string;
}

function isRequestLine(fields: unknown): fields is RequestLineFields {
  return typeof fields === 'object' && fields !== null && requestLine in fields;
}

/**
 * Makes request lines of the same form as all other log lines.
 * @param now milliseconds since the Unix epoch
 * @param pid of the process; `null`: lines have none
 */
function createToRequestLine(
  now: () => number,
  pid: number | null,
): (fields: RequestLineFields, message: string) => string {
  let lastMs = Number.NaN;
  let lastSecond = Number.NaN;
  let second = '';
  let head = '';
  const pidField = pid === null ? '' : `"pid":${pid},`;
  return (fields, message) => {
    const nowMs = now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      const ms = nowMs % 1_000;
      // Formatting a date takes longer than the rest of the line.
      if (nowMs - ms !== lastSecond) {
        lastSecond = nowMs - ms;
        second = new Date(lastSecond).toISOString().slice(0, -4);
      }
      head = `{"level":"info","time":"${second}${String(ms).padStart(3, '0')}Z",${pidField}`;
    }
    return `${head}${fields[requestLine]()},"msg":${toJsonText(message)}}\n`;
  };
}

const harmless = /^[\w .:/-]*$/;

/** Text as a JSON string. Most logged texts need no escapes, and skip `JSON.stringify`. */
export function toJsonText(text: string): string {
  return harmless.test(text) ? `"${text}"` : JSON.stringify(text);
}
