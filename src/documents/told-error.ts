import { GraphQLError, Source } from 'graphql';
import type { ErrorCode } from '../errors/catalogue.ts';

/**
 * An error of a refused document as plain data, to be kept with it. A `GraphQLError` would hold the document's text and tree
 * in memory.
 */
export interface ToldError {
  readonly message: string;
  /** Offsets into the text. */
  readonly positions: readonly number[];
  readonly extensions: { readonly code?: ErrorCode } & Readonly<Record<string, unknown>>;
}

/** Characters after which a message is cut, because messages quote names and values of any length. */
const maxMessageLength = 500;
/** Locations of one error that are shown; an error about things that occur twice has two. */
const maxPositions = 8;

/** @param code used if the error has no code of its own */
export function toToldError({ message, positions, extensions }: GraphQLError, code?: ErrorCode): ToldError {
  return {
    message: message.length > maxMessageLength ? `${toCopy(message.slice(0, maxMessageLength))}…` : message,
    positions: positions?.slice(0, maxPositions) ?? [],
    extensions: code ? { code, ...extensions } : { ...extensions },
  };
}

/** @param text the text of the document that the errors are about */
export function toGraphQLErrors(errors: readonly ToldError[], text: string): GraphQLError[] {
  const source = new Source(text);
  return errors.map(
    ({ message, positions, extensions }) =>
      new GraphQLError(message, { ...(positions.length > 0 ? { source, positions } : {}), extensions }),
  );
}

/** Copies through bytes, because a slice of a JavaScript string keeps the whole string in memory. */
function toCopy(part: string): string {
  return Buffer.from(part).toString();
}
