import type { Buffer } from 'node:buffer';

/** Headers of an answer. A `Map` is one too. */
export interface AnswerHeaders {
  /** @param name in lower case. @returns several values apart, in the order in which they came */
  get(name: string): string | string[] | undefined;
}

/**
 * Headers as they came from the connection. Of a dozen that are sent one or two are looked at, so none is made text of
 * before it is asked for.
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
