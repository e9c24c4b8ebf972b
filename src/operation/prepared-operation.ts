import type { ExecutionResult, FieldNode, GraphQLError, GraphQLSchema, OperationTypeNode } from 'graphql';
import type { OperationTree } from '../documents/document-tree.ts';
import type { DocumentPart, OperationPlan } from '../documents/plan-operation.ts';
import type { CoerceVariables } from '../engine/coerce-variables.ts';
import type { ExecuteStitched } from '../engine/execute-stitched.ts';
import type { Generation } from '../graph/generation.ts';
import type { CheckWaits } from '../graph/joins/join-waits.ts';
import type { ImmutableRead } from '../ledger/immutable/immutable-reads.ts';
import type { OperationContext } from '../upstream/operation-context.ts';
import type { ExecuteHere } from './execute-here.ts';
import type { SharedResults } from './subscriptions/result-stream.ts';

type Variables = Readonly<Record<string, unknown>>;

export interface OperationParts {
  readonly ledger: DocumentPart & { readonly text: string };
  readonly own: DocumentPart & { readonly execute: ExecuteHere };
}

/**
 * Everything that the text of an operation decides on one graph. Stored with its document. Members that only some requests
 * need are functions, computed at their first call.
 */
export interface PreparedOperation extends OperationPlan {
  readonly text: string;
  readonly type: OperationTypeNode;
  readonly name: string | null;
  /** The syntax tree. It is not kept for a forwarded operation: this parses the text again. */
  readonly tree: () => OperationTree;
  /** The graph that the operation is valid on. */
  readonly schema: GraphQLSchema;
  /** Why it is rejected although it is valid; `null` = it is served. */
  readonly refusal: GraphQLError | null;
  readonly isLedgers: (field: string) => boolean;
  /** Converts variables to what the schema expects, or says why it cannot. Reads the tree only for that. */
  readonly coerce: CoerceVariables;
  /** Finds waiting times of joins that are out of range, before anything is executed; `null` if no join waits. */
  readonly checkWaits: CheckWaits | null;
  /** The root fields by response key, in the order of the response. @param variables coerced */
  readonly rootFields: (variables: Record<string, unknown>) => ReadonlyMap<string, readonly FieldNode[]>;
  readonly parts: () => OperationParts;
  readonly executeHere: () => ExecuteHere;
  /** Opens the stream of a subscription; `null` for any other operation. */
  readonly openStream: (() => OpenStream) | null;
  /** How to forward the ledger's answer without parsing it; `null` if that is impossible. */
  readonly unread: () => ForwardForm | null;
  /** How to keep answers that never change; `null` if they may change, or no answers are kept. */
  readonly immutable: ImmutableRead | null;
}

/** How to forward the ledger's answer without parsing it. `queryJson` is the ledger's document as a JSON string. */
export type ForwardForm = ForwardWhole | ForwardSplit;

export interface ForwardWhole {
  readonly kind: 'whole';
  readonly queryJson: string;
  /** Selects the variables of an operation that is sent without the rest of its document; `null` = the document is sent. */
  readonly ledgerVariables: ((sent: Variables) => Variables) | null;
}

/** An operation whose root keys are grouped by owner, so that the two answers can be joined as texts. */
export interface ForwardSplit {
  readonly kind: 'split';
  readonly queryJson: string;
  readonly ledgerVariables: (sent: Variables) => Variables;
  readonly isLedgerFirst: boolean;
  readonly executeOwn: ExecuteHere;
}

export type ServedGeneration = Generation<PreparedOperation>;

export interface ItemStream {
  readonly items: AsyncIterator<unknown>;
  /** Executes the selection on an item. */
  readonly execute: (item: unknown, context: OperationContext) => ReturnType<ExecuteStitched>;
  /**
   * Joins the streams that send the same result for the same item. Left out where results are only forwarded.
   * @param rest what a result contains beside the item's data
   */
  readonly share?: (rest: string) => SharedResults;
}

/** Opens a subscription, or returns the errors that reject it. Rejects as `subscribe` of graphql-js does. */
export type OpenStream = (
  variables: Readonly<Record<string, unknown>>,
  context: OperationContext,
) => Promise<ItemStream | ExecutionResult>;
