import { parseJson } from '../../src/json/exact-json.ts';
import type { CacheLookup } from '../../src/ledger/immutable/immutable-reads.ts';

/** A cached response as clients parse it; `undefined` if there is none. */
export function readKept(lookup: Pick<CacheLookup, 'kept'> | null): unknown {
  const written = lookup?.kept?.write(null);
  if (!written) return undefined;
  return parseJson(written.kind === 'text' ? written.text : Buffer.concat(written.body.chunks as Buffer[]).toString());
}
