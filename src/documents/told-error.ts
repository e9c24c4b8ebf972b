import { type GraphQLError, Source, type SourceLocation } from 'graphql';
import type { ErrorCode } from '../errors/catalogue.ts';
import { lightError } from '../errors/light-error.ts';

/**
 * An error of a refused document as plain data, to be kept with it. A `GraphQLError` would hold the document's text and tree
 * in memory.
 */
export interface ToldError {
  readonly message: string;
  /** Offsets into the text, and the same as lines and columns. */
  readonly positions: readonly number[];
  readonly locations: readonly SourceLocation[];
  readonly extensions: { readonly code?: ErrorCode } & Readonly<Record<string, unknown>>;
}

/** Characters after which a message is cut, because messages quote names and values of any length. */
const maxMessageLength = 500;
/** Locations of one error that are shown; an error about things that occur twice has two. */
const maxPositions = 8;

/** @param code used if the error has no code of its own */
export function toToldError({ message, positions, locations, extensions }: GraphQLError, code?: ErrorCode): ToldError {
  return {
    message: message.length > maxMessageLength ? `${toCopy(message.slice(0, maxMessageLength))}…` : message,
    positions: positions?.slice(0, maxPositions) ?? [],
    locations: locations?.slice(0, maxPositions) ?? [],
    extensions: code ? { code, ...extensions } : { ...extensions },
  };
}

/** @param text the text of the document that the errors are about */
export function toGraphQLErrors(errors: readonly ToldError[], text: string): GraphQLError[] {
  const source = new Source(text);
  return errors.map(({ message, positions, locations, extensions }) =>
    lightError(message, { extensions, places: positions.length > 0 ? { source, positions, locations } : null }),
  );
}

/** Copies through bytes, because a slice of a JavaScript string keeps the whole string in memory. */
function toCopy(part: string): string {
  return Buffer.from(part).toString();
}
