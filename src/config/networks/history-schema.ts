import { z } from 'zod';

const name = z.string('a GraphQL name').regex(/^[_a-zA-Z]\w*$/, 'a GraphQL name');
const path = z.string('field names separated by dots').regex(/^\w+(?:\.\w+)*$/, 'field names separated by dots');
const selection = z.string('a selection set').regex(/^\{[\s\S]+\}$/, 'a selection set');

/** Members of the ledger's own filters; the gateway translates all other filters into them. */
const eventMembers = ['transaction', 'moveModule', 'moveEventModule', 'eventType', 'sender', 'package'] as const;
const transactionMembers = [
  'checkpoint',
  'moveFunction',
  'inputObject',
  'changedObject',
  'fromAddress',
  'toAddress',
  'transactionKind',
] as const;

/**
 * The connections of a ledger's GraphQL with its events and transactions, both oldest first. A path leads from a node to the
 * value of one of the gateway's fields.
 */
export const historySchema = z.strictObject({
  events: z.strictObject({
    field: name,
    /** Members of the connection's filter; `null` if it has no such member. */
    filters: z.record(z.enum(eventMembers), name.nullable()),
    /** Does the connection's filter have the members in `checkpoints`? */
    hasCheckpoints: z.boolean('true or false'),
    paths: z.strictObject({
      txDigest: path,
      /** `null`: the sequence number is the last member of `cursor`. */
      eventSeq: path.nullable(),
      packageId: path,
      transactionModule: path,
      sender: path,
      type: path,
      parsedJson: path,
      bcs: path,
      timestamp: path,
    }),
    /**
     * For cursors that are JSON in base64url: their members with the position of an item. Such a cursor reads the ledger as of
     * its own checkpoint, and only items that match the filter are accepted. `null`: opaque cursors, each valid for every
     * filter and time.
     */
    cursor: z.array(name).min(1).readonly().nullable(),
  }),
  transactions: z.strictObject({
    field: name,
    filters: z.record(z.enum(transactionMembers), name.nullable()),
    /** The schema's names for the node's kinds of transactions; `null` if it has no name. */
    kinds: z.record(name, name.nullable()),
    paths: z.strictObject({ digest: path, timestamp: path, checkpoint: path }),
    /** The content of `RpcTransaction.raw`. */
    raw: selection,
    cursor: z.array(name).min(1).readonly().nullable(),
  }),
  /** Members of filters that select by checkpoint. */
  checkpoints: z.strictObject({ after: name, at: name, before: name }),
  /** The root field for one checkpoint; `$` in its argument stands for the number. Without the argument: the newest one. */
  checkpoint: z.strictObject({ field: name, argument: z.string('an argument with $').includes('$') }),
  /** The root field for one transaction by its `digest`. Its `effects` have a connection of its events. */
  transaction: z.strictObject({ field: name }),
});

export type LedgerHistory = z.output<typeof historySchema>;
