import type { ExecutionResult, FieldNode, GraphQLError, GraphQLSchema, OperationTypeNode } from 'graphql';
import type { OperationTree } from '../documents/document-tree.ts';
import type { OperationPlan } from '../documents/plan-operation.ts';
import type { CoercedVariables, CoerceVariables } from '../engine/coerce-variables.ts';
import type { Generation } from '../graph/generation.ts';
import type { CheckWaits } from '../graph/joins/join-waits.ts';
import type { ImmutableRead } from '../ledger/immutable/immutable-reads.ts';
import type { OperationContext, PushedItems } from '../upstream/operation-context.ts';
import type { ExecuteOwn } from './execute-own.ts';
import type { SharedResults } from './subscriptions/result-stream.ts';

/** The ledger's part of an operation. */
export interface LedgerPart {
  readonly text: string;
  /** Names of the variables that are sent with it; `null` if the text is the client's: then everything is sent as it came. */
  readonly variables: ReadonlySet<string> | null;
  /** Puts what the gateway knows better into the ledger's answer. @param variables coerced */
  readonly amend: (answer: ExecutionResult, variables: Record<string, unknown>) => ExecutionResult;
}

/** What is executed of an operation. */
export type OperationParts =
  | { readonly kind: 'upstream'; readonly ledger: LedgerPart }
  | { readonly kind: 'own'; readonly execute: ExecuteOwn }
  /** Executed concurrently. */
  | { readonly kind: 'both'; readonly ledger: LedgerPart; readonly execute: ExecuteOwn; readonly order: RootOrder }
  /** One root key after the other. */
  | { readonly kind: 'steps'; readonly stepOf: (key: string) => OperationStep }
  | { readonly kind: 'stream'; readonly open: OpenStream };

/** The root keys of one owner come first, so that both answers can be joined as bytes; or both must be merged key by key. */
export type RootOrder = 'ledger first' | 'ours first' | 'mixed';

export type OperationStep = Extract<OperationParts, { readonly kind: 'upstream' | 'own' }>;

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
  /** Converts variables to what the schema expects, or says why it cannot; `null` if it declares none. */
  readonly coerce: CoerceVariables | null;
  /** Finds waiting times of joins that are out of range, before anything is executed; `null` if there are none. */
  readonly checkWaits: CheckWaits | null;
  /** The root fields by response key, in the order of the response. @param variables coerced */
  readonly rootFields: (variables: Record<string, unknown>) => ReadonlyMap<string, readonly FieldNode[]>;
  readonly parts: () => OperationParts;
  /** How to forward the answer to an operation that is entirely the ledger's without parsing it; `null` if that is impossible. */
  readonly unread: ForwardForm | null;
  /** How to keep answers that never change; `null` if they may change, or no answers are kept. */
  readonly immutable: ImmutableRead | null;
}

/** Of an operation that declares none. */
export const noVariables: CoercedVariables = { values: Object.freeze({}) };

/** How to forward the ledger's answer without parsing it. */
export interface ForwardForm {
  /** The ledger's document as a JSON string. */
  readonly queryJson: string;
  /** Selects the variables of an operation that is sent without the rest of its document; `null` = the document is sent. */
  readonly ledgerVariables: ((sent: RequestVariables['sent']) => RequestVariables['sent']) | null;
}

export type ServedGeneration = Generation<PreparedOperation>;

export interface ItemStream {
  readonly items: PushedItems;
  /** Executes the selection on an item. */
  readonly execute: (item: unknown, context: OperationContext) => ExecutionResult | Promise<ExecutionResult>;
  /**
   * Joins the streams that send the same result for the same item. Left out where results are only forwarded.
   * @param rest what a result contains beside the item's data
   */
  readonly share?: (rest: string) => SharedResults;
}

/** The variables of a request, as they were sent and coerced. */
export interface RequestVariables {
  readonly sent: Readonly<Record<string, unknown>>;
  readonly values: Record<string, unknown>;
}

/** Opens a subscription, or returns the errors that reject it. Rejects as `subscribe` of graphql-js does. */
export type OpenStream = (
  variables: RequestVariables,
  context: OperationContext,
) => Promise<ItemStream | ExecutionResult>;
