import { base58 } from '@scure/base';
import { invalidParams } from './rpc-error.ts';

/** Readers of parameter values. Each returns the value in the form records have it, or throws -32602 naming the place. */

export function readObject(where: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidParams(`${where} must be an object`);
  return value as Record<string, unknown>;
}

export function readText(where: string, value: unknown): string {
  if (typeof value !== 'string') throw invalidParams(`${where} must be text`);
  return value;
}

export function readAddress(where: string, value: unknown): string {
  const text = readText(where, value);
  if (!/^0x[0-9a-f]{1,64}$/i.test(text)) throw invalidParams(`${where} must be 0x and 1 to 64 hex digits`);
  return `0x${text.slice(2).toLowerCase().padStart(64, '0')}`;
}

export function readDigest(where: string, value: unknown): string {
  const text = readText(where, value);
  if (text.length <= 44 && /^[1-9A-HJ-NP-Za-km-z]+$/.test(text) && base58.decode(text).length === 32) return text;
  throw invalidParams(`${where} must be base58 of 32 bytes`);
}

export function readName(where: string, value: unknown): string {
  const text = readText(where, value);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) throw invalidParams(`${where} must be a Move identifier`);
  return text;
}

/**
 * A whole number of 0 or more, as a JSON number or decimal text. Above 2^53 it is rounded, which is larger than any
 * time or sequence number anyway.
 */
export function readWholeNumber(where: string, value: unknown): number {
  const number = typeof value === 'string' && /^[0-9]{1,20}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0)
    throw invalidParams(`${where} must be a whole number`);
  return number;
}

export function readFlag(where: string, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw invalidParams(`${where} must be true or false`);
  return value;
}

const maxItems = 50;

/** No limit, 0 and limits over the maximum all mean the maximum, without an error. */
export function readLimit(value: unknown): number {
  if (value === undefined || value === null) return maxItems;
  const limit = readWholeNumber('limit', value);
  return limit === 0 || limit > maxItems ? maxItems : limit;
}

/** An externally tagged value: text for a bare tag, else an object with one key. */
export function readTagged(where: string, value: unknown): { readonly tag: string; readonly content: unknown } {
  if (typeof value === 'string') return { tag: value, content: null };
  const entries = Object.entries(readObject(where, value));
  const [only] = entries;
  if (entries.length !== 1 || !only) throw invalidParams(`${where} must have exactly one variant`);
  return { tag: only[0], content: only[1] };
}
