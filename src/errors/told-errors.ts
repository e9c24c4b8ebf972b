import type { GraphQLError } from 'graphql';
import type { ErrorCode } from './catalogue.ts';
import { lightError } from './light-error.ts';

/** Errors of one answer that are told: more than a page has items, so that each item that fails can have one. */
export const maxToldErrors = 10_000;
/**
 * Characters of one answer's errors, roughly: one of an upstream may concern thousands of places, and is told at each of them,
 * text and all.
 */
export const maxToldCharacters = 4 * 1024 * 1024;

const more = `There are more errors than an answer tells: ${maxToldErrors} of them, or some ${maxToldCharacters} characters.`;

/** Stands last where errors are left out. */
export function moreErrors(): GraphQLError {
  return lightError(more, { extensions: { code: 'PAYLOAD_TOO_LARGE' satisfies ErrorCode } });
}

/** Of a key of a path, roughly. */
const ofPathKey = 4;

/** Says how much of what an answer may tell is left. */
export class ToldErrors {
  #errors = 0;
  #characters = 0;
  #isMoreTold = false;
  /** Of the extensions weighed before, which errors made from one share. */
  readonly #weights = new Map<object, number>();

  /** Has as much been told as may be? */
  get isFull(): boolean {
    return this.#errors >= maxToldErrors || this.#characters >= maxToldCharacters;
  }

  add(error: GraphQLError): GraphQLError {
    this.#errors += 1;
    this.#characters += error.message.length + ofPathKey * (error.path?.length ?? 0) + this.#weigh(error.extensions);
    return error;
  }

  /** That there are more, once. */
  takeMore(): readonly GraphQLError[] {
    if (this.#isMoreTold) return [];
    this.#isMoreTold = true;
    return [moreErrors()];
  }

  #weigh(extensions: object): number {
    const known = this.#weights.get(extensions);
    if (known !== undefined) return known;
    const weight = JSON.stringify(extensions).length;
    this.#weights.set(extensions, weight);
    return weight;
  }
}

/** The first errors of an answer, as many as are told, and a last one if there are more. */
export function cutErrors(errors: readonly GraphQLError[]): readonly GraphQLError[] {
  // The first is told however long it is.
  if (errors.length < 2) return errors;
  const told = new ToldErrors();
  for (const [index, error] of errors.entries()) {
    if (told.isFull) return [...errors.slice(0, index), moreErrors()];
    told.add(error);
  }
  return errors;
}
