import type { DocumentNode, FieldNode, GraphQLError, GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Usage } from '../documents/cost/usage.ts';
import type { OperationTree } from '../documents/document-tree.ts';
import type { Plan } from '../documents/plan/plan-operation.ts';
import type { DocumentPart } from '../documents/plan/split-document.ts';
import type { CoercedVariables } from '../engine/coerce-variables.ts';
import type { Generation } from '../graph/generation.ts';
import type { CheckWaits } from '../graph/joins/join-waits.ts';
import type { ImmutableRead } from '../ledger/immutable/immutable-reads.ts';
import type { Caller } from '../upstream/operation-context.ts';
import type { ExecuteHere } from './execute-here.ts';
import type { OpenStream } from './subscriptions/open-stream.ts';

type Variables = Readonly<Record<string, unknown>>;

/** The parts of an operation that has several owners. */
export interface OperationParts {
  readonly ledger: DocumentPart & { readonly text: string };
  readonly own: DocumentPart & { readonly execute: ExecuteHere };
}

/**
 * Everything about an operation that its text alone decides, on one graph. Kept with its document. What only some requests
 * need is a function, and is worked out when it is first called.
 */
export interface PreparedOperation {
  /** The client's text, as it came. */
  readonly text: string;
  readonly type: OperationTypeNode;
  /** As the text has it. */
  readonly name: string | null;
  /** The syntax tree. If the text is forwarded it is not kept, and this parses the text again. */
  readonly tree: () => OperationTree;
  /** A document with nothing but type and name, for libraries that ask for these and do not execute. */
  readonly outline: () => DocumentNode;
  /** The graph it is valid against. */
  readonly schema: GraphQLSchema;
  readonly plan: Plan;
  /** Why it is not served although it is valid; `null` = it is served. */
  readonly refusal: GraphQLError | null;
  /** Does the document hold only this operation and the fragments it uses? Then its text can be sent on as it came. */
  readonly isWhole: boolean;
  /** Do directives decide which root fields there are? */
  readonly isConditional: boolean;
  /** Can the client's text be sent to the ledger as it came, whatever the variables? */
  readonly isForwarded: boolean;
  /** Finds waiting times of joins that are out of range, before anything is executed; `null` if no join waits. */
  readonly checkWaits: CheckWaits | null;
  /** Mutations of ours that it asks for: each reserves, executes or the like. 0 for queries and subscriptions. */
  readonly ownMutations: number;
  /** Is a field at the root the ledger's? */
  readonly isLedgers: (field: string) => boolean;
  /** A quick check. `true`: the variables fit. `false`: ask `coerce`, which may still accept them. */
  readonly fits: (variables: Variables) => boolean;
  /** Converts variables to what the schema expects, or says why it cannot. Reads the tree, so ask `fits` first. */
  readonly coerce: (variables: Variables, maxErrors?: number) => CoercedVariables;
  /** The fields at the root by their keys in the answer, in its order. @param variables coerced */
  readonly rootFields: (variables: Record<string, unknown>) => ReadonlyMap<string, readonly FieldNode[]>;
  readonly parts: () => OperationParts;
  /** For plans that execute all of it in the gateway. */
  readonly executeHere: () => ExecuteHere;
  /** How to open the stream of a subscription; `null` for any other operation. */
  readonly openStream: (() => OpenStream) | null;
  /** How to pass the ledger's answer on without parsing it; `null` if that is impossible. */
  readonly unread: () => UnreadForm | null;
  /** How to keep its answers, if they never change; `null` for any other operation, or if no answers are kept. */
  readonly immutable: ImmutableRead | null;
}

/** A request to the ledger whose answer is passed on without being parsed. */
interface UnreadPart {
  /** The document's text as a JSON string. */
  readonly queryJson: string;
}

/** The whole operation is the ledger's, and its text is sent on as it came. */
export interface UnreadWhole extends UnreadPart {
  readonly kind: 'whole';
}

/** First all root keys of one owner, then all of the other: both answers can be joined as texts. */
export interface UnreadSplit extends UnreadPart {
  readonly kind: 'split';
  readonly ledgerVariables: (sent: Variables) => Variables;
  readonly isLedgerFirst: boolean;
  readonly executeOwn: ExecuteHere;
}

export type UnreadForm = UnreadWhole | UnreadSplit;

/** A generation that operations are served on. */
export type ServedGeneration = Generation<PreparedOperation>;

/** An operation that may run, and was counted for its caller. */
export interface AdmittedOperation {
  readonly kind: 'admitted';
  readonly caller: Caller;
  readonly operation: PreparedOperation;
  /** As they were sent. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** As it was sent. */
  readonly operationName: string | null;
  /** `null` if the document asks for the schema alone. */
  readonly usage: Usage | null;
}

export interface RefusedOperation {
  readonly kind: 'refused';
  readonly errors: readonly GraphQLError[];
  /** `null` if the document was refused before it was counted to its end. */
  readonly usage: Usage | null;
}

export type OperationAdmission = AdmittedOperation | RefusedOperation;
