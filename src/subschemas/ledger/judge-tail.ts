import { Buffer } from 'node:buffer';
import type { GraphQLError } from 'graphql';
import { printJson } from '../../json/exact-number.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { Usage } from '../../limits/usage.ts';
import type { DataExtent } from './data-extent.ts';
import { type ReadText, toErrors } from './ledger-answer.ts';
import { type ChunkedBody, cutAt } from './splice-usage.ts';

/** How a large answer ends. */
export interface AnswerEnd {
  readonly body: ChunkedBody;
  readonly errorCount: number;
}

/** Gives the errors of an answer the form they have elsewhere. */
export type SettleErrors = (errors: readonly GraphQLError[]) => readonly GraphQLError[];

const onlyBrace = /^\s*\}\s*$/;

/**
 * How the end of an answer is to be sent whose beginning is gone already: as it is, with usage if that was asked for, and
 * with its errors as they are shown elsewhere. `null` for an end that cannot be made sense of.
 * @param tail the last of it, with the whole of what follows its data
 * @param extent all of it was read by this
 * @param readText gives the client's own text, if that was asked
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
  const rest = {
    ...(errors.length > 0 ? { errors } : {}),
    ...(usage ? { extensions: { usage } } : {}),
  };
  const end = Buffer.from(toRest(rest));
  return { body: { chunks: [...data, end], size: dataEnd + 1 + end.length }, errorCount: errors.length };
}

/** @param behind what follows the data, from the comma on */
function parseMembers(behind: string): Readonly<Record<string, unknown>> | null {
  try {
    const members = parseJson(behind.replace(/^\s*,/, '{')) as Record<string, unknown>;
    // What else an answer bears is not shown, here as elsewhere; a second time data would be instead of the first.
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

/** Members as they follow others, and the end of the object. */
function toRest(members: object): string {
  const text = printJson(members);
  return text === '{}' ? '}' : `,${text.slice(1)}`;
}
