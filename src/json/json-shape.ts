/** Objects and lists inside one another in a request. No argument of any schema comes near; more exhausts the stack of what reads it. */
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
 * Commas between values and members in a request. Transactions are long texts and filters short lists; parsing tens of
 * thousands of small things takes tens of milliseconds.
 */
export const maxJsonCommas = 20_000;

/**
 * Members of all objects of a request. Every member has to be looked up by its name, several times over, which costs several
 * times what an item of a list does. No arguments of any schema come near.
 */
export const maxJsonMembers = 5_000;

/** Bodies of so few bytes cannot have too many values, and their nesting is cheaper to see when they are parsed. */
export const simpleJsonBytes = 16 * 1024;

/** The same bound on nesting, of a value. */
export function nestsDeeper(value: unknown, maxNesting: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (maxNesting === 0) return true;
  if (Array.isArray(value)) return value.some((each) => nestsDeeper(each, maxNesting - 1));
  for (const key in value) {
    if (nestsDeeper((value as Readonly<Record<string, unknown>>)[key], maxNesting - 1)) return true;
  }
  return false;
}

/**
 * Is JSON nested deeper, or made of more pieces, than that? Reads the bytes once, without parsing; of what is no JSON any
 * answer will do.
 */
export function isTooIntricate(
  json: Uint8Array,
  maxNesting: number,
  maxCommas: number,
  maxMembers: number = maxJsonMembers,
): boolean {
  // Every level opens and closes.
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
