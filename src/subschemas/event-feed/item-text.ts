import type { RpcEvent } from '../../generated/own.ts';
import { printJson } from '../../json/exact-number.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { ItemText } from '../../live-fleet/entry-text.ts';
import { toEventFacts } from './event-leaf.ts';
import type { LiveEventEntry } from './event-source.ts';
import type { NodeTransaction } from './transaction-source.ts';

/** Events as the processes of a fleet pass them on, every digit as the node sent it. */
export const eventText: ItemText<LiveEventEntry> = {
  write: ({ node }) => printJson(node),
  read(text) {
    const node = parseJson(text) as RpcEvent;
    return { node, facts: toEventFacts(node) };
  },
};

export const transactionText: ItemText<NodeTransaction> = {
  write: printJson,
  read: (text) => parseJson(text) as NodeTransaction,
};
