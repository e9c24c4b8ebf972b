import { type GraphQLSchema, parse, validate } from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
import { parseJson } from '../json/exact-json.ts';
import type { FreshnessRules } from '../upstream/freshness.ts';
import type { RawRequest } from '../upstream/raw-call.ts';
import { createPerSchema } from './fetch-ledger-schema.ts';

/** Checkpoints by which an address may lag. Networks close about four a second. */
const maxBehind = 20;

/**
 * Compares addresses of the ledger by their network and their newest checkpoint, and requests by the checkpoint in their cursors.
 * @param schema in force; `null` before there is one
 */
export function ledgerFreshness(
  { history }: Pick<NetworkProfile, 'history'>,
  schema: () => GraphQLSchema | null,
): FreshnessRules {
  const chain = 'chainIdentifier';
  const newest = (selection: string) => `newest:${history.checkpoint.field}{${selection}}`;
  const [timed, numbered] = [newest('sequenceNumber timestamp'), newest('sequenceNumber')];
  const all = `{${chain} ${timed}}`;
  /** A ledger that lacks one of the fields would reject the other with it. */
  const validQuery = createPerSchema(schema, (found) =>
    [all, `{${chain} ${numbered}}`, `{${chain}}`, `{${timed}}`, `{${numbered}}`].find(
      (text) => validate(found, parse(text)).length === 0,
    ),
  );
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return {
    maxBehind,
    leastOf: toLeastCheckpoint,
    async readNewest(call, timeoutMs) {
      const body = JSON.stringify({ query: validQuery() ?? all });
      const answer = await call({ method: 'POST', path: '/', headers, body, timeoutMs });
      const parsed = parseJson(answer.body.toString()) as {
        data?: { chainIdentifier?: unknown; newest?: { sequenceNumber?: unknown; timestamp?: unknown } | null } | null;
        errors?: unknown;
      };
      const { chainIdentifier, newest } = parsed?.data ?? {};
      // A ledger without any checkpoint is behind every other.
      const checkpoint = newest === null && !parsed.errors ? 0 : Number(newest?.sequenceNumber ?? Number.NaN);
      const newestMs = Date.parse(String(newest?.timestamp));
      return {
        newest: Number.isSafeInteger(checkpoint) ? checkpoint : null,
        newestMs: Number.isNaN(newestMs) ? null : newestMs,
        network: typeof chainIdentifier === 'string' ? chainIdentifier : null,
      };
    },
  };
}

/**
 * Texts in the two forms of ledger cursors: JSON that begins with `{"`, and 40 bytes that end with the checkpoint. The second
 * is not searched for within longer base64, which would take 54 steps for each of its characters.
 */
const cursors = /eyJ[\w-]{6,400}|(?<![A-Za-z\d+/])[A-Za-z\d+/]{54}==/g;
const maxCursors = 20;

/** The newest checkpoint that a request names, or that is in its cursors: an older address cannot serve it. `null` without any. */
function toLeastCheckpoint({ body, least: named = null }: Pick<RawRequest, 'body' | 'least'>): number | null {
  if (body === null) return named;
  const text =
    typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  let least = named;
  let count = 0;
  for (const [cursor] of text.matchAll(cursors)) {
    count += 1;
    if (count > maxCursors) break;
    const checkpoint = cursor.endsWith('==') ? readBinary(cursor) : readJson(cursor);
    if (checkpoint !== null && checkpoint > (least ?? -1)) least = checkpoint;
  }
  return least;
}

function readJson(cursor: string): number | null {
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const checkpoint = (content as { c?: unknown } | null)?.c;
    return Number.isSafeInteger(checkpoint) ? (checkpoint as number) : null;
  } catch {
    return null;
  }
}

function readBinary(cursor: string): number | null {
  const checkpoint = Number(Buffer.from(cursor, 'base64').readBigUInt64LE(32));
  return Number.isSafeInteger(checkpoint) ? checkpoint : null;
}
