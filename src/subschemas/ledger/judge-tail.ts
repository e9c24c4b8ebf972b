import { Buffer } from 'node:buffer';
import { printJson } from '../../json/exact-number.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { Usage } from '../../limits/usage.ts';
import { toErrors } from './ledger-answer.ts';
import { type ChunkedBody, findPlainTail, isBottomless, skipSpaceBack, spliceUsage } from './splice-usage.ts';

/** How a large answer ends. */
export interface AnswerEnd {
  readonly body: ChunkedBody;
  readonly errorCount: number;
}

/**
 * How the end of an answer is to be sent whose beginning is gone already: as it is, with usage if that was asked for, and
 * with its errors as they are shown elsewhere. `null` for an end that cannot be made sense of.
 * @param tail the last of it, with the whole of what follows its data
 */
export function judgeTail(tail: ChunkedBody, usage: Usage | null): AnswerEnd | null {
  const plainEnd = findPlainTail(tail);
  if (plainEnd !== null) return { body: usage ? spliceUsage(tail, plainEnd, usage) : tail, errorCount: 0 };
  const bytes = Buffer.concat(tail.chunks as Buffer[], tail.size);
  const found = findMembers(bytes);
  const errors = found && !isBottomless(bytes, found.dataEnd) ? readErrors(found.members.errors) : null;
  if (!found || !errors) return null;
  const rest = {
    ...(errors.length > 0 ? { errors } : {}),
    ...(usage ? { extensions: { usage } } : {}),
  };
  const [data, end] = [bytes.subarray(0, found.dataEnd + 1), Buffer.from(toRest(rest))];
  return { body: { chunks: [data, end], size: data.length + end.length }, errorCount: errors.length };
}

interface MembersBehindData {
  /** Where the closing brace of the data is. */
  readonly dataEnd: number;
  readonly members: Readonly<Record<string, unknown>>;
}

const [quote, backslash, comma, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\,{}[]');

/** The members of the answer itself that follow its data, which has to be among what precedes them: found from the end. */
function findMembers(bytes: Buffer): MembersBehindData | null {
  const end = skipSpaceBack(bytes, bytes.length - 1);
  if (bytes[end] !== closeBrace) return null;
  const begin = findFirstComma(bytes, end);
  const dataEnd = skipSpaceBack(bytes, (begin ?? end) - 1);
  if (bytes[dataEnd] !== closeBrace) return null;
  const members = begin === null ? {} : parseMembers(bytes.toString('utf8', begin + 1, end + 1));
  return members && { dataEnd, members };
}

/**
 * The first comma between members of the object that closes at `end`. Read backwards nothing need be known of what comes
 * before: outside of a text nothing is behind a backslash, so each quote that is not begins or ends one.
 */
function findFirstComma(bytes: Buffer, end: number): number | null {
  let found: number | null = null;
  let depth = 1;
  let isText = false;
  for (let index = end - 1; index >= 0 && depth > 0; index -= 1) {
    const byte = bytes[index];
    if (byte === quote && !isEscaped(bytes, index)) isText = !isText;
    else if (isText) continue;
    else if (byte === closeBrace || byte === closeBracket) depth += 1;
    else if (byte === openBrace || byte === openBracket) depth -= 1;
    else if (byte === comma && depth === 1) found = index;
  }
  return found;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at - 1;
  while (bytes[before] === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

function parseMembers(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const members = parseJson(`{${text}`) as Record<string, unknown>;
    // What else an answer bears is not shown, here as elsewhere; a second time data would be instead of the first.
    return 'data' in members ? null : members;
  } catch {
    return null;
  }
}

function readErrors(value: unknown): ReturnType<typeof toErrors> | null {
  if (value === undefined || value === null) return [];
  try {
    return toErrors(value);
  } catch {
    return null;
  }
}

/** Members as they follow others, and the end of the object. */
function toRest(members: object): string {
  const text = printJson(members);
  return text === '{}' ? '}' : `,${text.slice(1)}`;
}
