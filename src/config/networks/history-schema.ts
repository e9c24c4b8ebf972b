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
 * The form of cursors that are JSON in base64url. Such a cursor reads the ledger as of the checkpoint that it names, and only items
 * that match the filter are accepted. `null`: opaque cursors, each valid for every filter and time.
 */
const cursorForm = z
  .strictObject({
    /** Members with numbers that put items in order. */
    order: z.array(name).min(1).readonly(),
    /** The member with the checkpoint. */
    checkpoint: name,
    /** Its other members and their values. */
    rest: z.record(name, z.boolean()),
  })
  .nullable();

/**
 * The connections of a ledger's GraphQL with its events and transactions, both oldest first. A path leads from a node to the
 * value of one of the gateway's fields.
 */
export const historySchema = z.strictObject({
  events: z.strictObject({
    field: name,
    /** Members of the connection's filter; `null` if it has no such member. */
    filters: z.record(z.enum(eventMembers), name.nullable()),
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
    /** The checkpoint of an event; `null`: its cursor has one. */
    checkpoint: path.nullable(),
    cursor: cursorForm,
  }),
  transactions: z.strictObject({
    field: name,
    filters: z.record(z.enum(transactionMembers), name.nullable()),
    /** The schema's names for the node's kinds of transactions; `null` if it has no name. */
    kinds: z.record(name, name.nullable()),
    paths: z.strictObject({ digest: path, timestamp: path, checkpoint: path }),
    /** The content of `RpcTransaction.raw`. */
    raw: selection,
    /** What decides in it whether a filter selects the transaction. */
    content: z.strictObject({
      /** BCS of the TransactionData, in base64. */
      transaction: path,
      /** BCS of the effects, in base64; `null` if no filter of the connection needs them. */
      effects: path.nullable(),
      /** Names of the kinds of transactions, in the order of their indexes in BCS. Others are system transactions. */
      kinds: z.array(z.string()).readonly(),
    }),
    cursor: cursorForm,
  }),
  /** Members of filters that select by checkpoint. */
  checkpoints: z.strictObject({ after: name, at: name, before: name }),
  /** The root field for one checkpoint; `$` in its argument stands for the number. Without the argument: the newest one. */
  checkpoint: z.strictObject({ field: name, argument: z.string('an argument with $').includes('$') }),
  /** The root field for one transaction by its `digest`. Its `effects` have a connection of its events. */
  transaction: z.strictObject({ field: name }),
  /**
   * The root field that shows what is left of a connection, whose field `$` stands for, and a path in it: to the oldest checkpoint
   * or, where cursors have a form, to the edges that begin with the oldest item.
   */
  oldest: z.strictObject({ field: z.string('a root field with $').includes('$'), path }),
  /** How errors for data that the ledger no longer keeps are recognised: by code, or by a part of the text in any case. */
  pruned: z.strictObject({ codes: z.array(z.string()).readonly(), texts: z.array(z.string()).readonly() }),
});

export type LedgerHistory = z.output<typeof historySchema>;
