import type { DocumentNode, FieldNode, GraphQLError, GraphQLSchema, OperationTypeNode } from 'graphql';
import type { AnswerEnding } from '../answers/answer-ending.ts';
import type { OperationTree } from '../documents/document-tree.ts';
import type { CoercedVariables } from '../execution/coerce-variables.ts';
import type { Generation } from '../graph/generation.ts';
import type { ImmutableRead } from '../immutable/immutable-reads.ts';
import type { CheckWaits } from '../joins/check-waits.ts';
import type { Plan } from '../planning/plan-operation.ts';
import type { DocumentPart } from '../planning/split-document.ts';
import type { ExecuteHere } from './execute-here.ts';

type Variables = Readonly<Record<string, unknown>>;

/** The parts of an operation that has several owners. */
export interface OperationParts {
  readonly ledger: DocumentPart & { readonly text: string };
  readonly own: DocumentPart & { readonly execute: ExecuteHere };
}

/**
 * What of an operation the text alone decides, on one graph. It is kept with its document. What not every request needs
 * is a function, and worked out when it is first called.
 */
export interface PreparedOperation {
  /** The client's text, as it came. */
  readonly text: string;
  readonly type: OperationTypeNode;
  /** As the text has it. */
  readonly name: string | null;
  /** Takes as long as to parse the text where it is forwarded: of that the tree is not kept. */
  readonly tree: () => OperationTree;
  /** Of the tree its outline, for libraries that ask what kind of operation it is and execute nothing. */
  readonly outline: () => DocumentNode;
  /** The graph it is valid against. */
  readonly schema: GraphQLSchema;
  readonly plan: Plan;
  /** Why it is not served although it is valid, whatever shell it comes through; `null` for one that is. */
  readonly refusal: GraphQLError | null;
  /** Is there nothing in the document beside this operation and what it uses? Then its text can go as it came. */
  readonly isWhole: boolean;
  /** Do directives decide what there is at the root? */
  readonly isConditional: boolean;
  /** Can the client's text go to the ledger as it came, whatever the variables? */
  readonly isForwarded: boolean;
  /** What is to be refused before anything is executed; `null` where there is nothing to look at. */
  readonly checkWaits: CheckWaits | null;
  /** Is a field at the root the ledger's? */
  readonly isLedgers: (field: string) => boolean;
  /** Do variables fit for certain? Where it says no, `coerce` may still find a way. */
  readonly fits: (variables: Variables) => boolean;
  /** Reads the tree: where nothing but a yes is wanted, `fits` is asked first. */
  readonly coerce: (variables: Variables, maxErrors?: number) => CoercedVariables;
  /** The fields at the root by their keys in the answer, in its order. @param variables coerced */
  readonly rootFields: (variables: Record<string, unknown>) => ReadonlyMap<string, readonly FieldNode[]>;
  readonly parts: () => OperationParts;
  /** For plans that execute all of it in the gateway. */
  readonly executeHere: () => ExecuteHere;
  /** For an operation of which the ledger's answer can be passed on unread; `null` for any other. */
  readonly unread: () => UnreadForm | null;
  /** For an operation whose answers never change; `null` for any other, and where none are kept. */
  readonly immutable: ImmutableRead | null;
}

/** What asks the ledger for an answer that is passed on unread. */
interface UnreadPart {
  /** The document as JSON has it. */
  readonly queryJson: string;
  /** How answers to it end. */
  readonly ending: AnswerEnding;
}

/** All of it is the ledger's, and its text can go as it came. */
export interface UnreadWhole extends UnreadPart {
  readonly kind: 'whole';
}

/** Its root keys stand owner by owner, so that the texts of both answers can be put side by side. */
export interface UnreadSplit extends UnreadPart {
  readonly kind: 'split';
  readonly ledgerVariables: (sent: Variables) => Variables;
  readonly isLedgerFirst: boolean;
  readonly executeOwn: ExecuteHere;
}

export type UnreadForm = UnreadWhole | UnreadSplit;

/** A generation that operations are served on. */
export type ServedGeneration = Generation<PreparedOperation>;
