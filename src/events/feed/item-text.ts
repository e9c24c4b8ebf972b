import type { RpcEvent } from '../../generated/own.ts';
import { parseJson, printJson } from '../../json/exact-json.ts';
import type { ItemText } from '../../live/fleet/entry-text.ts';
import type { TransactionWire } from '../wire.ts';
import { toEventFacts } from './event-leaf.ts';
import type { LiveEvent } from './live-pages.ts';

/** Events as processes of a fleet share them, with every digit that the node sent. */
export const eventText: ItemText<LiveEvent> = {
  write: ({ node }) => printJson(node),
  read(text) {
    const node = asObject(parseJson(text)) as unknown as RpcEvent;
    return { node, facts: toEventFacts(node) };
  },
};

export const transactionText: ItemText<TransactionWire> = {
  write: printJson,
  read(text) {
    const read = asObject(parseJson(text));
    asObject(read.raw);
    if (typeof read.digest !== 'string') throw new Error('a transaction without a digest');
    return read as unknown as TransactionWire;
  },
};

/** Rejects a damaged item here: a stream could not resume behind an item that it cannot deliver. */
function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error('an item that is no object');
}
