import { ExactNumber } from './exact-json.ts';

/**
 * Maximum nesting of a request. Deeper values would overflow the stack of later code; real arguments have far fewer levels.
 */
export const maxJsonNesting = 128;

const quote = 0x22;
const backslash = 0x5c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;
const comma = 0x2c;
const colon = 0x3a;

/**
 * Maximum of commas in a request, as a count of its values. Parsing tens of thousands of small values blocks for tens of
 * milliseconds; real requests have few, since transactions are long strings and filters short lists.
 */
export const maxJsonCommas = 20_000;

/**
 * Maximum of members in all objects of a request. Stricter than the limit on commas, because each member is looked up by name
 * several times and costs several times as much as a list item. Real arguments have far fewer.
 */
export const maxJsonMembers = 5_000;

/**
 * Smaller bodies need no scan before parsing: they cannot contain too many values, and nesting is cheaper to check afterwards.
 */
export const simpleJsonBytes = 16 * 1024;

/**
 * Levels of objects and lists in an upstream's answer. `JSON.parse` reads any depth, but `JSON.stringify` overflows the stack
 * at some four thousand levels, far from the upstream that caused it; half of that leaves stack for the callers. No real
 * answer has a tenth of it.
 */
export const maxAnswerNesting = 2_000;

/**
 * Does a parsed value nest deeper than `max` levels?
 * @param max at most a few thousand, because this recurses as deep
 */
export function exceedsNesting(value: unknown, max: number): boolean {
  if (!isNesting(value)) return false;
  if (max === 0) return true;
  // Most entries are scalars: test them here and save the call.
  if (Array.isArray(value)) {
    for (const entry of value) if (isNesting(entry) && exceedsNesting(entry, max - 1)) return true;
    return false;
  }
  for (const name in value) {
    const member = value[name];
    if (isNesting(member) && exceedsNesting(member, max - 1)) return true;
  }
  return false;
}

/** Does an upstream's answer nest too deep? Skips answers whose body is too short for that: each level takes two bytes. */
export function isAnswerTooDeep(value: unknown, bodyBytes: number): boolean {
  return bodyBytes >= 2 * maxAnswerNesting && exceedsNesting(value, maxAnswerNesting);
}

function isNesting(value: unknown): value is Record<string, unknown> | unknown[] {
  return typeof value === 'object' && value !== null;
}

/**
 * Does JSON text nest deeper, or contain more commas or members, than allowed? Scans the bytes once, without parsing. For text
 * that is not JSON the result means nothing: parsing rejects it anyway.
 */
export function isTooComplex(
  json: Uint8Array,
  maxNesting: number,
  maxCommas: number,
  maxMembers: number = maxJsonMembers,
): boolean {
  // Each level takes two bytes, one to open and one to close.
  if (json.length < 2 * maxNesting) return false;
  let depth = 0;
  let commas = 0;
  let members = 0;
  let isInText = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (isInText) {
      if (byte === backslash) index += 1;
      else if (byte === quote) isInText = false;
    } else if (byte === quote) isInText = true;
    else if (byte === openingBracket || byte === openingBrace) {
      depth += 1;
      if (depth > maxNesting) return true;
    } else if (byte === closingBracket || byte === closingBrace) depth -= 1;
    else if (byte === comma) {
      commas += 1;
      if (commas > maxCommas) return true;
    } else if (byte === colon) {
      members += 1;
      if (members > maxMembers) return true;
    }
  }
  return false;
}

/** Is a value's JSON longer than about this many characters? Stops reading at that length. */
export function exceedsLength(value: unknown, characters: number): boolean {
  return leftAfter(value, characters) < 0;
}

/** `exceedsLength` for long values: each step measures about `stepCharacters`. */
export function* exceedsLengthInSteps(
  value: unknown,
  characters: number,
  stepCharacters: number,
): Generator<void, boolean> {
  const waiting = [value];
  let left = characters;
  let inStep = 0;
  while (waiting.length > 0 && left >= 0) {
    const each = waiting.pop();
    const leftOfStep = leftAfter(each, stepCharacters);
    inStep += stepCharacters - leftOfStep;
    if (leftOfStep >= 0 || !isNesting(each) || each instanceof ExactNumber) left -= stepCharacters - leftOfStep;
    else if (Array.isArray(each)) for (const item of each) waiting.push(item);
    else
      for (const name in each) {
        left -= name.length + aroundMember;
        waiting.push(each[name]);
      }
    if (inStep < stepCharacters) continue;
    inStep = 0;
    yield;
  }
  return left < 0;
}

/** Characters of quotes, commas and colons around a string and a member. */
const aroundText = 3;
const aroundMember = 4;
/** Characters of a number, a boolean or null. */
const ofScalar = 5;

/** @returns the characters left after the value; negative if there are too few */
function leftAfter(value: unknown, characters: number): number {
  if (typeof value === 'string') return characters - value.length - aroundText;
  if (typeof value !== 'object' || value === null) return characters - ofScalar;
  if (value instanceof ExactNumber) return characters - value.text.length;
  let left = characters - aroundText;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index += 1) left = leftAfter(value[index], left);
    return left;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) {
    if (left < 0) break;
    left = leftAfter(members[name], left - name.length - aroundMember);
  }
  return left;
}

// Bytes of an object slot, as measured in V8.
const slotBytes = 8;
const objectBytes = 64;
/** Bytes per member, in addition to its slot and name. Objects that share their names take less. */
const memberBytes = 40;
const arrayBytes = 40;
const numberBytes = 16;
const textBytes = 24;
const exactNumberBytes = 120;

/** An upper estimate of the memory of a parsed JSON value, in bytes: many `{}` take 20 times the length of their text. */
export function measureHeap(value: unknown): number {
  if (typeof value === 'string') return measureText(value);
  if (typeof value === 'number') return (value | 0) === value ? 0 : numberBytes;
  if (typeof value !== 'object' || value === null) return 0;
  if (value instanceof ExactNumber) return exactNumberBytes + value.text.length;
  if (Array.isArray(value)) {
    let bytes = arrayBytes;
    for (const each of value) bytes += slotBytes + measureHeap(each);
    return bytes;
  }
  let bytes = objectBytes;
  for (const [name, member] of Object.entries(value))
    bytes += memberBytes + name.length + slotBytes + measureHeap(member);
  return bytes;
}

/** V8 takes one byte per character, or two if the text has characters beyond Latin-1. */
export function measureText(text: string): number {
  return textBytes + text.length * (isLatin1.test(text) ? 1 : 2);
}

const isLatin1 = /^[\0-\xff]*$/;
