import { endOfText, mark, parseJson } from './exact-json.ts';

/** Characters above which a text is parsed in pieces. Parsing that many takes up to 3 ms. */
export const pieceCharacters = 256 * 1024;
/** Deeper positions are in one piece: each piece repeats the brackets around it. */
const maxDepth = 64;

const [quote, comma] = [0x22, 0x2c];
const [openingBracket, closingBracket] = [0x5b, 0x5d];
const [openingBrace, closingBrace] = [0x7b, 0x7d];

type Container = unknown[] | Record<string, unknown>;

/** A list or object whose end comes in a later piece. */
interface OpenContainer {
  readonly isList: boolean;
  /** Where its key begins, if it is a member of an object. */
  readonly keyAt: number;
  /** Its members so far; `null` if it began in this piece. */
  value: Container | null;
}

export interface ParsedPieces {
  readonly value: unknown;
  /** Levels of lists and objects. */
  readonly depth: number;
}

/**
 * Parses a long text like `parseJson`, one piece at each step. A piece ends before a comma. It is parsed with the brackets that are
 * open around it, and its members are added to the lists and objects of earlier pieces.
 * @throws SyntaxError if the text is not JSON
 */
export function* parseInPieces(text: string, pieceLength = pieceCharacters): Generator<void, ParsedPieces> {
  const open: OpenContainer[] = [];
  /** Those that were open at the begin of the piece. */
  let around: readonly OpenContainer[] = [];
  let [from, last, keyAt, depth] = [0, 0, 0, 0];
  let whole: unknown;

  const take = (end: number): void => {
    const before = around.map(({ isList }, level) => openingOf(isList, level + 1 < around.length)).join('');
    const after = open.map(({ isList }) => (isList ? ']' : '}')).reverse();
    const part = parseJson(`${before}${text.slice(from, end)}${end < text.length ? after.join('') : ''}`);
    if (around.length === 0) whole = part;
    else addMembers(around, part);
  };
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    let next = at + 1;
    if (code === quote) {
      keyAt = at;
      next = endOfText(text, at);
    } else if (code === openingBracket || code === openingBrace) {
      open.push({ isList: code === openingBracket, keyAt, value: null });
      depth = Math.max(depth, open.length);
    } else if (code === closingBracket || code === closingBrace) {
      if (open.pop()?.isList !== (code === closingBracket) || last === comma) throw notJson();
    } else if (code === comma && at - from >= pieceLength && open.length > 0 && open.length <= maxDepth) {
      if (last === comma || last === openingBracket || last === openingBrace) throw notJson();
      take(at);
      findValues(open, whole, text);
      around = [...open];
      from = next;
      yield;
    }
    if (code > 0x20) last = code;
    at = next;
  }
  take(text.length);
  return { value: whole, depth };
}

/** @param hasInner another open container is its first member */
function openingOf(isList: boolean, hasInner: boolean): string {
  if (isList) return '[';
  // No text has the mark, so it is the key of no other member.
  return hasInner ? `{"${mark}":` : '{';
}

/** Adds the members of a piece to the containers around it. */
function addMembers(around: readonly OpenContainer[], piece: unknown): void {
  let part = piece as Container;
  for (const [level, { value }] of around.entries()) {
    const hasInner = level + 1 < around.length;
    let inner = part;
    if (Array.isArray(part)) {
      if (hasInner) inner = part[0] as Container;
      const list = value as unknown[];
      for (let index = hasInner ? 1 : 0; index < part.length; index += 1) list.push(part[index]);
    } else {
      if (hasInner) inner = part[mark] as Container;
      // A plain assignment to a key named `__proto__` would change the prototype instead.
      const how = { configurable: true, enumerable: true, writable: true };
      for (const key of Object.keys(part))
        if (key !== mark) Object.defineProperty(value, key, { ...how, value: part[key] });
    }
    part = inner;
  }
}

/** Finds the members so far of containers that began in this piece: each is the last member of the one around it. */
function findValues(open: readonly OpenContainer[], whole: unknown, text: string): void {
  let outer: Container | null = null;
  for (const each of open) {
    if (outer === null) each.value ??= whole as Container;
    else if (Array.isArray(outer)) each.value ??= outer.at(-1) as Container;
    else each.value ??= outer[JSON.parse(text.slice(each.keyAt, endOfText(text, each.keyAt)))] as Container;
    outer = each.value;
  }
}

const notJson = () => new SyntaxError('a bracket or comma has no place in JSON');
