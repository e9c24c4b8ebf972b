import type { DestinationStream } from 'pino';
import pretty from 'pino-pretty';
import type { OperationFacts, RequestFacts } from './request-line.ts';

export interface ReadableLinesOptions {
  readonly write: (text: string) => void;
  readonly isColoured: boolean;
}

/**
 * Formats JSON log lines for a terminal: time of day, level and message. Requests get one line; the details of an error follow
 * below it.
 */
export function createReadableLines({ write, isColoured }: ReadableLinesOptions): DestinationStream {
  const options: pretty.PrettyOptions = {
    colorize: isColoured,
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    customPrettifiers: {
      // Our levels are words; the library expects numbers, and would replace them.
      level: (_level, _key, _log, { labelColorized }) => labelColorized,
    },
  };
  const toLine = pretty.prettyFactory({ ...options, messageFormat: (log) => String(log.msg) });
  const toRequestLine = pretty.prettyFactory({
    ...options,
    hideObject: true,
    messageFormat: (log) => describeRequest(log as unknown as RequestLog),
  });
  return {
    write(line) {
      const log = parse(line);
      if (!log) return write(line);
      write(isRequest(log) ? `${toRequestLine(log)}\n` : toLine(log));
    },
  };
}

interface RequestLog extends Omit<RequestFacts, 'operations'> {
  readonly operations?: readonly Partial<OperationFacts>[];
}

function describeRequest({ method, path, status, durationMs, operations = [], codes, requestId }: RequestLog): string {
  const ran = operations.map(({ type = 'operation', name, plan, caller, from, errors = 0 }) => {
    const failed = errors > 0 && `with ${errors} ${errors === 1 ? 'error' : 'errors'}`;
    return [type, name, plan, caller && `by ${caller}`, from && `from ${from}`, failed].filter(Boolean).join(' ');
  });
  const shownCodes = codes ? [codes.join(', ')] : [];
  return [`${method} ${path} ${status} in ${durationMs} ms`, ...ran, ...shownCodes, requestId].join(' · ');
}

function isRequest(log: Readonly<Record<string, unknown>>): boolean {
  return log.msg === 'request' && typeof log.method === 'string';
}

function parse(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line, (_key, value) => (typeof value === 'string' ? withoutControls(value) : value));
  } catch {
    return null;
  }
}

/** Escapes control characters: paths and messages may come from attackers, and could manipulate the terminal. */
function withoutControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
  return text.replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, (each) => {
    return `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
