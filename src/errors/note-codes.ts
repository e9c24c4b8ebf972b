import { isErrorCode } from './catalogue.ts';

/** Different codes per request: more would not help the operator. */
const maxCodes = 5;

/** The ledger chooses its own codes. Only words of capitals are logged: other text could imitate something else in a log. */
const harmlessCode = /^[A-Z][A-Z_]{0,39}$/;

/** An error before or after it was formatted. */
interface CodedError {
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Adds the codes of errors to `codes`: each once, and at most `maxCodes`. */
export function noteCodes(codes: string[], errors: readonly CodedError[]): void {
  for (const { extensions } of errors) {
    if (codes.length >= maxCodes) return;
    const code = extensions?.code;
    if (typeof code !== 'string' || codes.includes(code)) continue;
    if (isErrorCode(code) || harmlessCode.test(code)) codes.push(code);
  }
}
