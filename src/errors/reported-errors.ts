import type { GraphQLError } from 'graphql';
import { isErrorCode } from './catalogue.ts';
import { toExtensions } from './gateway-error.ts';
import { lightError } from './light-error.ts';

/** Maximum of errors in one response: more than a page has items, so that each failed item can have one. */
export const maxReportedErrors = 10_000;
/** Approximate characters of the errors in one response: an upstream error may be repeated, text and all, at thousands of paths. */
export const maxReportedCharacters = 4 * 1024 * 1024;

const omission = `There are more errors than a response reports: at most ${maxReportedErrors}, or about ${maxReportedCharacters} characters.`;

export function toOmissionError(): GraphQLError {
  return lightError(omission, { extensions: toExtensions('PAYLOAD_TOO_LARGE') });
}

/** Approximate characters of one key of a path. */
const pathKeyCharacters = 4;

/** Counts the errors of one response against both limits. */
export class ReportedErrors {
  #errors = 0;
  #characters = 0;
  #isOmissionReported = false;
  /** Sizes by extensions object, which copies of one error share. */
  readonly #sizes = new Map<object, number>();

  get isFull(): boolean {
    return this.#errors >= maxReportedErrors || this.#characters >= maxReportedCharacters;
  }

  add(error: GraphQLError): GraphQLError {
    this.#errors += 1;
    const pathSize = pathKeyCharacters * (error.path?.length ?? 0);
    this.#characters += error.message.length + pathSize + this.#sizeOf(error.extensions);
    return error;
  }

  /** The error that announces omitted errors; only the first time. */
  takeOmissionError(): readonly GraphQLError[] {
    if (this.#isOmissionReported) return [];
    this.#isOmissionReported = true;
    return [toOmissionError()];
  }

  #sizeOf(extensions: object): number {
    const known = this.#sizes.get(extensions);
    if (known !== undefined) return known;
    const size = JSON.stringify(extensions).length;
    this.#sizes.set(extensions, size);
    return size;
  }
}

/** The first errors of a response within the limits, and a last one if errors are omitted. */
export function limitErrors(errors: readonly GraphQLError[]): readonly GraphQLError[] {
  // A single error is reported at any length.
  if (errors.length < 2) return errors;
  const reported = new ReportedErrors();
  for (const [index, error] of errors.entries()) {
    if (reported.isFull) return [...errors.slice(0, index), toOmissionError()];
    reported.add(error);
  }
  return errors;
}

/** Maximum of different codes logged per request: more would not help the operator. */
const maxCodes = 5;

/** The ledger chooses its own codes. Only codes in capital letters are logged: other text could imitate log content. */
const harmlessCode = /^[A-Z][A-Z_]{0,39}$/;

/** An error before or after it was formatted. */
interface CodedError {
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Adds the codes of errors to `codes`: each once, and at most `maxCodes`. */
export function addErrorCodes(codes: string[], errors: readonly CodedError[]): void {
  for (const { extensions } of errors) {
    if (codes.length >= maxCodes) return;
    const code = extensions?.code;
    if (typeof code !== 'string' || codes.includes(code)) continue;
    if (isErrorCode(code) || harmlessCode.test(code)) codes.push(code);
  }
}
