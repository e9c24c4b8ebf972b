import type { GraphQLError } from 'graphql';
import { mostCalls } from './cost/called-pages.ts';
import { countedRefusal, type LimitRefusal, type Limits, payloadRefusal } from './cost/limits.ts';
import type { DocumentSize } from './cost/measure-document.ts';
import { sentValue, type Variables } from './cost/output-cost.ts';
import { valueBytes } from './cost/transaction-bytes.ts';
import { addCounts, type Usage } from './cost/usage.ts';
import { type PlainError, type PreparedDocument, toGraphQLErrors } from './prepared-document.ts';

export type DocumentAdmission =
  /** `usage` is `null` for a document that asks for the schema alone. */
  | { readonly kind: 'admitted'; readonly usage: Usage | null }
  /** `usage` is `null` if the document was rejected before it was counted. */
  | { readonly kind: 'refused'; readonly errors: readonly GraphQLError[]; readonly usage: Usage | null };

/**
 * Decides whether a request may be executed. Checks in the ledger's order: the text, then the variables, then the schema. Takes
 * microseconds for a prepared document.
 */
export function admitDocument(prepared: PreparedDocument, variables: Variables, limits: Limits): DocumentAdmission {
  const refused = (errors: readonly PlainError[], usage: Usage | null): DocumentAdmission => ({
    kind: 'refused',
    errors: toGraphQLErrors(errors, prepared.text),
    usage,
  });
  if (prepared.kind === 'unreadable') return refused(prepared.refusal.errors, null);
  const { size } = prepared;
  const usage = size.isExempt ? null : priceDocument(size, variables, limits);
  if (prepared.kind === 'refused') return refused(prepared.refusal.errors, prepared.refusal.hasUsage ? usage : null);
  const refusal = checkVariables(size, variables, limits);
  if (refusal) return { kind: 'refused', errors: [refusal.error], usage: refusal.hasUsage ? usage : null };
  return prepared.errors.length > 0 ? refused(prepared.errors, usage) : { kind: 'admitted', usage };
}

/**
 * The usage of a document with these variables, as the ledger would report it. Takes microseconds. Documents that the ledger
 * rejects uncounted, or that ask for the schema alone, are counted too, though their usage is never shown.
 */
export function priceDocument(
  size: DocumentSize,
  variables: Variables,
  { defaultPageSize }: Pick<Limits, 'defaultPageSize'>,
): Usage {
  return {
    inputNodes: size.inputNodes,
    outputNodes: size.outputNodes(variables, defaultPageSize),
    depth: size.depth,
    variables: Object.keys(variables).length,
    fragments: size.fragments,
    queryPayload: size.queryPayload,
  };
}

/**
 * Checks what depends on the variables, in the ledger's order: transaction payload, query text without that payload, output
 * nodes. Then the gateway's own limit: upstream calls for pages of events and transactions.
 */
export function checkVariables(size: DocumentSize, variables: Variables, limits: Limits): LimitRefusal | null {
  return (
    checkTransactions(size, variables, limits) ??
    checkQueryPart(size, limits) ??
    (size.isExempt ? null : checkOutput(size, variables, limits)) ??
    checkCalls(size, variables, limits)
  );
}

/** Bytes of transaction payload: literals in the text and values of variables. */
export function transactionPayload({ transaction }: DocumentSize, variables: Variables): number {
  let bytes = transaction.literalBytes;
  for (const name of transaction.variables) bytes = addCounts(bytes, valueBytes(sentValue(variables, name)));
  return bytes;
}

/** Bytes of the text without the transaction literals in it. */
export function queryPart({ queryPayload, transaction }: DocumentSize): number {
  return queryPayload - transaction.inlinedBytes;
}

function checkTransactions(size: DocumentSize, variables: Variables, limits: Limits): LimitRefusal | null {
  const actual = transactionPayload(size, variables);
  const max = limits.maxTransactionPayloadSize;
  if (actual <= max) return null;
  const limit = { name: 'maxTransactionPayloadSize', max, actual } as const;
  return payloadRefusal('Transaction payload too large', limit, limits);
}

/** Is the text too long, whatever its variables? */
export function isQueryPartTooLong(size: DocumentSize, { maxQueryPayloadSize }: Limits): boolean {
  return queryPart(size) > maxQueryPayloadSize;
}

function checkQueryPart(size: DocumentSize, limits: Limits): LimitRefusal | null {
  if (!isQueryPartTooLong(size, limits)) return null;
  const actual = queryPart(size);
  const max = limits.maxQueryPayloadSize;
  const limit = { name: 'maxQueryPayloadSize', max, actual } as const;
  return payloadRefusal(`Query part too large: ${actual} bytes`, limit, limits);
}

function checkOutput(size: DocumentSize, variables: Variables, limits: Limits): LimitRefusal | null {
  const actual = size.outputNodes(variables, limits.defaultPageSize);
  const max = limits.maxOutputNodes;
  if (actual <= max) return null;
  return countedRefusal(`Estimated output nodes exceeds ${max}`, { name: 'maxOutputNodes', max, actual });
}

/** The ledger has no such limit: it reads pages from a database, while these pages take calls to a node. */
function checkCalls(
  { calledPages }: DocumentSize,
  variables: Variables,
  { calledPages: bounds }: Limits,
): LimitRefusal | null {
  if (calledPages.length === 0 || !bounds) return null;
  const actual = mostCalls(calledPages, variables, bounds);
  const max = bounds.maxCalls;
  if (actual <= max) return null;
  const message = `Pages of events and transactions may take ${actual} calls, which exceeds max of ${max}`;
  return countedRefusal(message, { name: 'maxEventCalls', max, actual });
}
