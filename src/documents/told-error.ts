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

/**
 * @param locate of the text that the errors are about. Their own locations may be wrong: rules run without the text
 * @param code used if the error has no code of its own
 */
export function toToldError(
  { message, positions = [], extensions }: GraphQLError,
  locate: Locate,
  code?: ErrorCode,
): ToldError {
  const shown = positions.slice(0, maxPositions);
  return {
    message: message.length > maxMessageLength ? `${toCopy(message.slice(0, maxMessageLength))}…` : message,
    positions: shown,
    locations: shown.map(locate),
    extensions: code ? { code, ...extensions } : { ...extensions },
  };
}

/** The line and column of a position, both from 1. */
export type Locate = (position: number) => SourceLocation;

/** Reads the text once, however many positions are asked for: graphql-js reads it from the start for each of them. */
export function createLocate(text: string): Locate {
  let starts: number[] | null = null;
  return (position) => {
    starts ??= [0, ...[...text.matchAll(/\r\n|[\n\r]/g)].map(({ index, 0: end }) => index + end.length)];
    const line = starts.findLastIndex((start) => start <= position);
    return { line: line + 1, column: position - (starts[line] ?? 0) + 1 };
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
