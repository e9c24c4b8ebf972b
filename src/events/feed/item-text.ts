import type { RpcEvent } from '../../generated/own.ts';
import { printJson } from '../../json/exact-number.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { ItemText } from '../../live/fleet/entry-text.ts';
import { toEventFacts } from './event-leaf.ts';
import type { LiveEventEntry } from './event-source.ts';
import type { NodeTransaction } from './transaction-source.ts';

/** Events as the processes of a fleet pass them on, every digit as the node sent it. */
export const eventText: ItemText<LiveEventEntry> = {
  write: ({ node }) => printJson(node),
  read(text) {
    const node = asObject(parseJson(text)) as unknown as RpcEvent;
    return { node, facts: toEventFacts(node) };
  },
};

export const transactionText: ItemText<NodeTransaction> = {
  write: printJson,
  read(text) {
    const read = asObject(parseJson(text));
    asObject(read.raw);
    if (typeof read.digest !== 'string') throw new Error('a transaction without a digest');
    return read as unknown as NodeTransaction;
  },
};

/** What others have written is looked at before it is told: streams could not go on behind what they cannot tell. */
function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error('an item that is no object');
}
