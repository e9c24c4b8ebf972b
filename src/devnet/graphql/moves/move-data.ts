import { serviceFault } from '../arguments/parse-failure.ts';

/** A Move value with the kind of each part spelled out. */
export type MoveData =
  | { readonly Struct: readonly { readonly name: string; readonly value: MoveData }[] }
  | { readonly Vector: readonly MoveData[] }
  | { readonly Option: MoveData | null }
  | { readonly Address: readonly number[] }
  | { readonly UID: readonly number[] }
  | { readonly Number: string }
  | { readonly String: string }
  | { readonly Bool: boolean };

const addressText = /^0x[0-9a-f]{64}$/;
const decimalText = /^(0|[1-9][0-9]*)$/;

/**
 * Adds the kind of each part to the plain JSON of a Move value. In that JSON a whole number is a number or decimal
 * text, an address its 64 digits, and a missing option null.
 * @param maxDepth how deep values may be nested
 */
export function toMoveData(json: unknown, maxDepth: number, name?: string): MoveData {
  if (maxDepth <= 0) throw tooDeep();
  if (json === null || json === undefined) return { Option: null };
  if (typeof json === 'boolean') return { Bool: json };
  if (typeof json === 'number' || typeof json === 'bigint') return { Number: String(json) };
  if (typeof json === 'string') return toTextData(json, name);
  if (Array.isArray(json)) return { Vector: json.map((entry) => toMoveData(entry, maxDepth - 1)) };
  return {
    Struct: Object.entries(json).map(([field, value]) => ({
      name: field,
      value: toMoveData(value, maxDepth - 1, field),
    })),
  };
}

/** The plain JSON of a Move value, held to the same depth. */
export function toMoveJson(json: unknown, maxDepth: number): unknown {
  checkDepth(json, maxDepth);
  return json;
}

function checkDepth(json: unknown, left: number): void {
  if (left <= 0) throw tooDeep();
  if (typeof json !== 'object' || json === null) return;
  for (const value of Object.values(json)) checkDepth(value, left - 1);
}

function tooDeep() {
  return serviceFault('exceeded maximum depth of a Move value');
}

function toTextData(text: string, name: string | undefined): MoveData {
  if (addressText.test(text)) {
    const bytes = [...Buffer.from(text.slice(2), 'hex')];
    return name === 'id' ? { UID: bytes } : { Address: bytes };
  }
  return decimalText.test(text) ? { Number: text } : { String: text };
}
