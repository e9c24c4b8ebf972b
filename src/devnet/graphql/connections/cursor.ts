import { base64urlnopad } from '@scure/base';
import { parseFailure } from '../arguments/parse-failure.ts';

type FieldKind = 'number' | 'string' | 'boolean';
type CursorShape = Readonly<Record<string, FieldKind>>;
type FieldValue<Kind extends FieldKind> = Kind extends 'number' ? number : Kind extends 'string' ? string : boolean;

/** The content of a cursor; `c` is the checkpoint that its page was read at. */
export type Cursor<Shape extends CursorShape> = { readonly [Field in keyof Shape]: FieldValue<Shape[Field]> };

/** One kind of cursor: URL-safe base64 without padding over compact JSON. */
export interface CursorFormat<Shape extends CursorShape> {
  encode(cursor: Cursor<Shape>): string;
  /** @throws the error that clients get for text that is not such a cursor */
  parse(text: string): Cursor<Shape>;
}

export const checkpointCursor = createCursorFormat({ c: 'number', s: 'number' });
/** `i`: the cursor marks the edge of a scanned window, not a match. */
export const transactionCursor = createCursorFormat({ c: 'number', t: 'number', i: 'boolean' });
export const eventCursor = createCursorFormat({ tx: 'number', e: 'number', c: 'number' });
export const indexCursor = createCursorFormat({ i: 'number', c: 'number' });
/** Objects by id, balances by type, modules by name. */
export const nameCursor = createCursorFormat({ n: 'string', c: 'number' });

const utf8 = new TextDecoder('utf-8', { fatal: true });
const toUtf8 = new TextEncoder();

function createCursorFormat<const Shape extends CursorShape>(shape: Shape): CursorFormat<Shape> {
  return {
    encode: (cursor) => base64urlnopad.encode(toUtf8.encode(JSON.stringify(cursor))),
    parse(text) {
      const value = parseJson(decode(text));
      if (!isRecord(value)) throw parseFailure('String', 'invalid type: expected a cursor at line 1 column 1');
      for (const [field, kind] of Object.entries(shape)) checkField(value, field, kind);
      return value as Cursor<Shape>;
    },
  };
}

function decode(text: string): string {
  try {
    return utf8.decode(base64urlnopad.decode(text));
  } catch {
    const wrong = text.search(/[^A-Za-z0-9_-]/);
    if (wrong >= 0) throw parseFailure('String', `Invalid symbol ${text.charCodeAt(wrong)}, offset ${wrong}.`);
    throw parseFailure('String', 'Invalid input length or last symbol.');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw parseFailure('String', 'expected value at line 1 column 1');
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkField(value: Record<string, unknown>, field: string, kind: FieldKind): void {
  const found = value[field];
  if (found === undefined) throw parseFailure('String', `missing field \`${field}\` at line 1`);
  const fits = kind === 'number' ? Number.isSafeInteger(found) && Number(found) >= 0 : typeof found === kind;
  if (!fits) throw parseFailure('String', `invalid type of field \`${field}\`: expected a ${kind} at line 1`);
}
