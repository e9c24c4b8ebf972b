const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
/** Any number of up to this many digits is exact in a double. */
const safeDigits = 15;

/**
 * Replaces numbers in JSON; `null` when none is to be replaced. Skips strings by `indexOf`, so a large document in the JSON
 * costs next to nothing.
 * @param json valid JSON
 * @param isGood leaves a number as it is; not asked about whole numbers of up to 15 digits
 * @param replace gives the JSON that stands in a number's place
 */
export function replaceNumbers(
  json: string,
  isGood: (number: string) => boolean,
  replace: (number: string) => string,
): string | null {
  let replaced: string | null = null;
  let from = 0;
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfText(json, at);
    else if (code !== minus && !isDigit(code)) at += 1;
    else {
      const end = endOfNumber(json, at);
      if (!isPlainNumber(json, at, end)) {
        const number = json.slice(at, end);
        if (!isGood(number)) {
          replaced = `${replaced ?? ''}${json.slice(from, at)}${replace(number)}`;
          from = end;
        }
      }
      at = end;
    }
  }
  return replaced === null ? null : replaced + json.slice(from);
}

/** @returns the index just after the string that begins at `at` */
function endOfText(json: string, at: number): number {
  let end = json.indexOf('"', at + 1);
  while (end > 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end < 0 ? json.length : end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json.charCodeAt(before) === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

function endOfNumber(json: string, at: number): number {
  let end = at + 1;
  while (end < json.length && isPartOfNumber(json.charCodeAt(end))) end += 1;
  return end;
}

/** `0123456789+-.eE` */
function isPartOfNumber(code: number): boolean {
  return isDigit(code) || code === minus || code === 0x2b || code === 0x2e || code === 0x65 || code === 0x45;
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

/** Does the number consist of a few digits only? Most do, and are exact. */
function isPlainNumber(json: string, at: number, end: number): boolean {
  if (end - at > safeDigits) return false;
  for (let index = at; index < end; index += 1) if (!isDigit(json.charCodeAt(index))) return false;
  return true;
}
