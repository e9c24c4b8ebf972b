import type { Dialect, Work } from './work.ts';

/**
 * Holds every answer of one contestant to one work against what is right. The first answer to a variant, and one in some
 * hundreds after it, is parsed and compared whole; all others by status, length and both ends, for the cost of nothing.
 */
export interface AnswerCheck {
  /** What is wrong, `null` when nothing is. The chunks are the body. */
  findFault(serial: number, status: number, chunks: readonly Buffer[]): string | null;
}

/** Enough to hold `{"data":{`, and `{"errors":` not. */
const headBytes = 9;
/** `}}` after data, `]}` after errors. */
const tailBytes = 2;
const wholeCheckEvery = 500;

interface Right {
  readonly length: number;
  readonly head: string;
  readonly tail: string;
}

export function createAnswerCheck(work: Work, dialect: Dialect): AnswerCheck {
  const right = new Map<number, Right>();
  let seen = 0;
  return {
    findFault(serial, status, chunks) {
      if (status !== 200) return `status ${status}: ${Buffer.concat(chunks).toString('utf8', 0, 500)}`;
      const variant = serial % work.variants;
      const known = right.get(variant);
      const outline = outlineOf(chunks);
      seen += 1;
      if (known && seen % wholeCheckEvery !== 0) {
        const isSame = known.head === outline.head && known.tail === outline.tail;
        if (!isSame) return `begins with ${outline.head} and ends with ${outline.tail}`;
        const difference = Math.abs(known.length - outline.length);
        return difference <= work.lengthSlack ? null : `${outline.length} bytes instead of ${known.length}`;
      }
      const fault = work.findFault(dialect, serial, parse(Buffer.concat(chunks).toString('utf8')));
      if (fault === null) right.set(variant, outline);
      return fault;
    },
  };
}

/** White space around the answer is nobody's fault. */
function outlineOf(chunks: readonly Buffer[]): Right {
  const first = chunks[0]?.toString('latin1', 0, headBytes) ?? '';
  const last = chunks.at(-1)?.toString('latin1').slice(-16).trimEnd() ?? '';
  return { length: chunks.reduce((sum, { length }) => sum + length, 0), head: first, tail: last.slice(-tailBytes) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return `not JSON: ${text.slice(0, 200)}`;
  }
}
