import type { Buffer } from 'node:buffer';

/** Headers of an answer. Tests may use a `Map`. */
export interface AnswerHeaders {
  /** @param name in lower case. @returns a list if the header came several times, in the order of the answer */
  get(name: string): string | string[] | undefined;
}

/**
 * Reads headers from the connection's bytes. Decodes a header only when it is asked for, since of a dozen only one or two
 * are.
 * @param raw names and values by turns
 */
export function toAnswerHeaders(raw: readonly Buffer[]): AnswerHeaders {
  return {
    get(name) {
      let found: string | string[] | undefined;
      for (let index = 0; index < raw.length; index += 2) {
        if (!isNamed(raw[index], name)) continue;
        const value = raw[index + 1]?.toString('latin1') ?? '';
        if (found === undefined) found = value;
        else found = typeof found === 'string' ? [found, value] : [...found, value];
      }
      return found;
    },
  };
}

const upperA = 0x41;
const upperZ = 0x5a;
const lowerBit = 0x20;

function isNamed(bytes: Buffer | undefined, name: string): boolean {
  if (bytes?.length !== name.length) return false;
  for (let index = 0; index < name.length; index += 1) {
    const byte = bytes[index] ?? 0;
    const lower = byte >= upperA && byte <= upperZ ? byte | lowerBit : byte;
    if (lower !== name.charCodeAt(index)) return false;
  }
  return true;
}
