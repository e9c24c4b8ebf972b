import { GraphQLError, Source } from 'graphql';
import type { ErrorCode } from '../errors/catalogue.ts';

/**
 * What is told of a refused document, as plain data: an error of the reference library holds on to the whole document,
 * read and unread.
 */
export interface ToldError {
  readonly message: string;
  /** Offsets into the text. */
  readonly positions: readonly number[];
  readonly extensions: { readonly code?: ErrorCode } & Readonly<Record<string, unknown>>;
}

/** Longer messages are cut, in characters: they quote names and values of any length. */
const maxMessageLength = 500;
/** As many places as are told of one error; an error about things that occur twice has two. */
const maxPositions = 8;

/** @param code for an error that has none of its own */
export function toToldError({ message, positions, extensions }: GraphQLError, code?: ErrorCode): ToldError {
  return {
    message: message.length > maxMessageLength ? `${toCopy(message.slice(0, maxMessageLength))}…` : message,
    positions: positions?.slice(0, maxPositions) ?? [],
    extensions: code ? { code, ...extensions } : { ...extensions },
  };
}

/** @param text the document that the errors are about */
export function toGraphQLErrors(errors: readonly ToldError[], text: string): GraphQLError[] {
  const source = new Source(text);
  return errors.map(
    ({ message, positions, extensions }) =>
      new GraphQLError(message, { ...(positions.length > 0 ? { source, positions } : {}), extensions }),
  );
}

/** A part of a text keeps the whole of it in memory; what is read from bytes stands alone. */
function toCopy(part: string): string {
  return Buffer.from(part).toString();
}
