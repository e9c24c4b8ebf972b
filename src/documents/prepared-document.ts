import type { ExecutableDocument } from './cost/executable-document.ts';
import type { Limits } from './cost/limits.ts';
import type { DocumentSize } from './cost/measure-document.ts';
import type { OperationTree } from './document-tree.ts';
import type { ToldError } from './told-error.ts';
import type { ValidationOptions } from './validation/validate-document.ts';

/** Why a document is refused, whatever its variables. */
export interface DocumentRefusal {
  readonly errors: readonly ToldError[];
  /** The document was counted to its end, so usage can be shown. */
  readonly hasUsage: boolean;
}

/**
 * Everything that depends on a document's text alone. Made once per text and generation, used by every request. Holds the
 * syntax tree only if the gateway executes part of the document; refused and forwarded documents are kept without it.
 * @typeParam Operation what is prepared of one operation
 */
export type PreparedDocument<Operation = unknown> = {
  readonly text: string;
  /** Memory that it takes at most while it is kept. */
  readonly bytes: number;
} & (
  | { readonly kind: 'unreadable'; readonly refusal: DocumentRefusal }
  /** The text alone breaks a bound: nesting, directives, unknown fragments, depth or nodes. */
  | {
      readonly kind: 'refused';
      readonly size: DocumentSize;
      readonly refusal: DocumentRefusal;
    }
  | {
      readonly kind: 'readable';
      readonly size: DocumentSize;
      /** Fields of the answer that the schema alone gives, `__schema` and `__type`. */
      readonly introspectedFields: number;
      /** Validation errors, reported only if no limit is broken; empty for a valid document. */
      readonly errors: readonly ToldError[];
      /**
       * What the text decides about one of its operations; `null` if there is none of that name, or the document is not valid.
       * An only operation is prepared with the document; of several, each is prepared at its first use and kept.
       * @param name `null` means the only one
       */
      readonly operation: (name: string | null) => Operation | null;
    }
);

export type ReadableDocument<Operation> = Extract<PreparedDocument<Operation>, { readonly kind: 'readable' }>;

/** Fields of the schema that a document asks for. */
export function fieldsAsked(prepared: PreparedDocument): number {
  return prepared.kind === 'readable' ? prepared.introspectedFields : 0;
}

/** An operation of a valid document, to be prepared. */
export interface ValidOperation {
  readonly text: string;
  /** The text as a JSON string, with its quotes. */
  readonly json: string;
  /** Parses the tree, with positions, from the text again. For rare uses. */
  readonly readTree: () => OperationTree;
  /** For use while the operation is prepared. Keep no reference to it; it may lack positions in the text. */
  readonly tree: OperationTree;
  /** Keeps the tree, with positions, with the document, whose memory then counts as much larger. */
  readonly keepTree: () => () => OperationTree;
}

export interface PrepareOptions<Operation = unknown> extends ValidationOptions {
  readonly limits: Limits;
  /** Works out what the text of an operation decides. The result is kept as long as the document. */
  readonly prepareOperation: (operation: ValidOperation) => Operation;
}

/** A prepared document with the tree it was made from, for explaining it. */
export interface ReadDocument<Operation = unknown> {
  readonly prepared: PreparedDocument<Operation>;
  /** `null` when the text cannot be parsed. */
  readonly executable: ExecutableDocument | null;
}
