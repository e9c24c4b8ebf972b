import { isErrorCode } from './catalogue.ts';

/** Different ones of one request: more tell the operator nothing new. */
const maxCodes = 5;

/**
 * Codes of the ledger are its own texts. One that is no word of capitals is not repeated in a log, where it could pass for
 * something else.
 */
const harmlessCode = /^[A-Z][A-Z_]{0,39}$/;

/** An error as it leaves, or as it was made. */
interface CodedError {
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Adds the codes of errors to those noted before, each once and the first few only. Errors without a code add nothing. */
export function noteCodes(codes: string[], errors: readonly CodedError[]): void {
  for (const { extensions } of errors) {
    if (codes.length >= maxCodes) return;
    const code = extensions?.code;
    if (typeof code !== 'string' || codes.includes(code)) continue;
    if (isErrorCode(code) || harmlessCode.test(code)) codes.push(code);
  }
}
