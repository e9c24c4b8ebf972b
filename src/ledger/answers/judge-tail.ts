import { Buffer } from 'node:buffer';
import type { GraphQLError } from 'graphql';
import { type Usage, withUsage } from '../../documents/cost/usage.ts';
import { printJson } from '../../json/exact-number.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { DataExtent } from './data-extent.ts';
import type { ChunkedBody } from './find-plain-end.ts';
import { type ReadText, toErrors } from './ledger-answer.ts';
import { cutAt } from './splice-data.ts';

/** The end of a large answer, ready to be sent. */
export interface AnswerEnd {
  readonly body: ChunkedBody;
  readonly errorCount: number;
}

/** Gives the errors of a streamed answer the form they have in any other answer. */
export type SettleErrors = (errors: readonly GraphQLError[]) => readonly GraphQLError[];

const onlyBrace = /^\s*\}\s*$/;

/**
 * Prepares the end of an answer whose beginning has been sent already: as it is, or with usage if that was asked for,
 * and with its errors in the form they have elsewhere. `null` for an end that makes no sense.
 * @param tail the last bytes of the answer, with everything that follows its data
 * @param extent has read the whole answer
 * @param readText gives the document's text if the client wrote it; `null` if the gateway did
 */
export function judgeTail(
  tail: ChunkedBody,
  extent: DataExtent,
  usage: Usage | null,
  readText: ReadText | null,
  settle: SettleErrors = (errors) => errors,
): AnswerEnd | null {
  const dataEnd = (extent.dataEnd ?? 0) - (extent.size - tail.size);
  if (!extent.isWhole || extent.dataEnd === null || dataEnd < 0) return null;
  const data = cutAt(tail, dataEnd + 1);
  const behind = Buffer.concat(tail.chunks as Buffer[], tail.size).toString('utf8', dataEnd + 1);
  const isPlain = onlyBrace.test(behind);
  if (isPlain && !usage) return { body: tail, errorCount: 0 };
  const members = isPlain ? {} : parseMembers(behind);
  const found = members && readErrors(members.errors, readText);
  if (!found) return null;
  const errors = settle(found);
  const rest = withUsage(errors.length > 0 ? { errors } : {}, usage);
  const end = Buffer.from(toRest(rest));
  return { body: { chunks: [...data, end], size: dataEnd + 1 + end.length }, errorCount: errors.length };
}

/** @param behind what follows the data, from the comma on */
function parseMembers(behind: string): Readonly<Record<string, unknown>> | null {
  try {
    const members = parseJson(behind.replace(/^\s*,/, '{')) as Record<string, unknown>;
    // Members other than errors are dropped, as elsewhere. A second `data` would replace the first: refuse the answer.
    return 'data' in members ? null : members;
  } catch {
    return null;
  }
}

function readErrors(value: unknown, readText: ReadText | null): ReturnType<typeof toErrors> | null {
  if (value === undefined || value === null) return [];
  try {
    return toErrors(value, readText);
  } catch {
    return null;
  }
}

/** Writes members that follow others, and the brace that ends the object. */
function toRest(members: object): string {
  const text = printJson(members);
  return text === '{}' ? '}' : `,${text.slice(1)}`;
}
