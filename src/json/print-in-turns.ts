import { completeInTurns, type TakeTurn } from './complete-in-turns.ts';
import { isObject, printJson } from './exact-json.ts';
import { exceedsLength } from './json-size.ts';

/** Characters above which a value is printed in pieces. Printing that many takes up to 3 ms. */
const pieceCharacters = 256 * 1024;

/** A body in parts. */
export interface PrintedPieces {
  readonly chunks: readonly Buffer[];
  readonly size: number;
}

/**
 * Like `printJson`, but prints a long value in pieces, each in a turn of the event loop.
 * @param value plain data: only its exact numbers have a form of their own
 * @param takeTurn runs the work for one piece
 * @returns a text if the value is short
 */
export function printInTurns(value: unknown, takeTurn: TakeTurn): string | Promise<PrintedPieces> {
  return exceedsLength(value, pieceCharacters) ? completeInTurns(printLong(value), takeTurn) : printJson(value);
}

/** Joins texts up to the length of a piece. */
function* printLong(value: unknown): Generator<void, PrintedPieces> {
  const chunks: Buffer[] = [];
  let [size, joined] = [0, ''];
  const take = () => {
    const chunk = Buffer.from(joined);
    chunks.push(chunk);
    size += chunk.length;
    joined = '';
  };
  for (const text of piecesOf(value)) {
    joined += text;
    if (joined.length < pieceCharacters) continue;
    take();
    yield;
  }
  take();
  return { chunks, size };
}

/** Prints values below the length of a piece whole, and larger ones in halves. */
function* piecesOf(value: unknown): Generator<string, void> {
  const isList = Array.isArray(value);
  const isDivided = isList || (isObject(value) && typeof value.toJSON !== 'function');
  if (!isDivided || !exceedsLength(value, pieceCharacters)) yield printJson(value) ?? 'null';
  else {
    yield isList ? '[' : '{';
    yield* membersOf(value);
    yield isList ? ']' : '}';
  }
}

/** Prints the members of a long list or object, with commas between them. */
function* membersOf(value: unknown[] | Readonly<Record<string, unknown>>): Generator<string, void> {
  const isList = Array.isArray(value);
  const members = isList ? value : Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 1) {
    const [key, member] = isList ? [null, value[0]] : (members[0] as [string, unknown]);
    if (key !== null) yield `${JSON.stringify(key)}:`;
    yield* piecesOf(member);
    return;
  }
  const middle = members.length >>> 1;
  for (const [index, part] of [members.slice(0, middle), members.slice(middle)].entries()) {
    if (index > 0) yield ',';
    const half = isList ? part : Object.fromEntries(part as [string, unknown][]);
    if (exceedsLength(half, pieceCharacters)) yield* membersOf(half);
    else yield printJson(half).slice(1, -1);
  }
}
