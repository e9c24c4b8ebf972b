import {
  type DocumentNode,
  type GraphQLError,
  type OperationDefinitionNode,
  Source,
  type SourceLocation,
} from 'graphql';
import type { ErrorCode } from '../errors/catalogue.ts';
import { toExtensions } from '../errors/gateway-error.ts';
import { lightError } from '../errors/light-error.ts';
import { printJson } from '../json/exact-json.ts';
import { mostCalls } from './cost/called-pages.ts';
import { type LimitRefusal, type Limits, refuse, refuseAs, refuseComplexity } from './cost/limits.ts';
import { locateBreach } from './cost/locate-breach.ts';
import type { DocumentSize } from './cost/measure-document.ts';
import { valueBytes } from './cost/payload.ts';
import {
  addCounts,
  contractRules,
  type LimitRules,
  type PageSize,
  readVariable,
  resolvePageSize,
  type Usage,
  type Variables,
} from './cost/usage.ts';
import type { OperationTree } from './document-tree.ts';
import type { OperationPlan, Ownership } from './plan-operation.ts';
import type { ExecutableDocument } from './selections.ts';
import type { ValidationOptions } from './validation/validate-document.ts';

/**
 * Everything that depends on a document's text alone. Made once per text and generation, used by every request. Holds the
 * syntax tree only if the gateway executes part of the document.
 * @typeParam Operation what is prepared of one operation
 */
export type PreparedDocument<Operation = unknown> = {
  readonly text: string;
  /** Upper bound of the memory that it takes while it is kept. */
  readonly bytes: number;
} & (
  | {
      /** Rejected whatever its variables. */
      readonly kind: 'refused';
      /** `null` if the text cannot be parsed. */
      readonly size: DocumentSize | null;
      readonly errors: readonly PlainError[];
    }
  | {
      readonly kind: 'readable';
      readonly size: DocumentSize;
      /** Fields of the response that come from the schema alone: `__schema` and `__type`. */
      readonly introspectedFields: number;
      /** Validation errors, reported only if no limit is exceeded; empty for a valid document. */
      readonly errors: readonly PlainError[];
      /**
       * What the text decides about one operation; `null` for an unknown name or an invalid document. An only operation is
       * prepared with the document; of several, each is prepared at its first use.
       * @param name `null` means the only one
       */
      readonly operation: (name: string | null) => Operation | null;
    }
);

/** Number of introspection fields that a document asks for. */
export function fieldsAsked(prepared: PreparedDocument): number {
  return prepared.kind === 'readable' ? prepared.introspectedFields : 0;
}

export interface ValidOperation {
  readonly text: string;
  /** The text as a JSON string, with its quotes. */
  readonly json: string;
  readonly plan: OperationPlan;
  /** For use during preparation only. Keep no reference to it; it may lack positions in the text. */
  readonly tree: OperationTree;
  /** Returns the tree with positions: the kept one, or for a forwarded operation the text parsed again. */
  readonly readTree: () => OperationTree;
}

export interface PrepareOptions<Operation = unknown> extends ValidationOptions {
  readonly limits: Limits;
  readonly ownership: Ownership;
  /** Works out what the text of an operation decides. The result is kept with the document. */
  readonly prepareOperation: (operation: ValidOperation) => Operation;
}

/** A prepared document with the syntax tree it was made from, for explaining it. */
export interface ReadDocument<Operation = unknown> {
  readonly prepared: PreparedDocument<Operation>;
  /** `null` when the text cannot be parsed. */
  readonly executable: ExecutableDocument | null;
}

/** An error of a rejected document as plain data. A `GraphQLError` would keep the document's text and tree in memory. */
export interface PlainError {
  readonly message: string;
  /** Offsets into the text, and the same as lines and columns. */
  readonly positions: readonly number[];
  readonly locations: readonly SourceLocation[];
  readonly path: GraphQLError['path'];
  readonly extensions: { readonly code?: ErrorCode } & Readonly<Record<string, unknown>>;
}

/** Characters of a message that are shown: messages quote names and values of any length. */
const maxMessageLength = 500;
const maxPositions = 8;

/**
 * @param locate of the text that the errors are about. Their own locations may be wrong: rules run without the text
 * @param code used if the error has no code of its own
 */
export function toPlainError(
  { message, positions = [], path, extensions }: GraphQLError,
  locate: Locate,
  code?: ErrorCode,
): PlainError {
  const shown = positions.slice(0, maxPositions);
  return {
    message: message.length > maxMessageLength ? `${toCopy(message.slice(0, maxMessageLength))}…` : message,
    positions: shown,
    locations: shown.map(locate),
    path,
    extensions: code ? toExtensions(code, extensions) : { ...extensions },
  };
}

/** Finds the line and column of a position, both from 1. */
export type Locate = (position: number) => SourceLocation;

/** Reads the text once for all positions: graphql-js reads it from the start for each of them. */
export function createLocate(text: string): Locate {
  let starts: number[] | null = null;
  return (position) => {
    starts ??= [0, ...[...text.matchAll(/\r\n|[\n\r]/g)].map(({ index, 0: end }) => index + end.length)];
    const line = starts.findLastIndex((start) => start <= position);
    return { line: line + 1, column: position - (starts[line] ?? 0) + 1 };
  };
}

const noErrors: readonly GraphQLError[] = [];

function toGraphQLErrors(errors: readonly PlainError[], text: string): readonly GraphQLError[] {
  if (errors.length === 0) return noErrors;
  const source = new Source(text);
  return errors.map(({ message, positions, locations, path, extensions }) =>
    lightError(message, {
      extensions,
      path,
      positions: positions.length > 0 ? { source, positions, locations } : null,
    }),
  );
}

/** Copies through bytes: a slice of a JavaScript string keeps the whole string in memory. */
function toCopy(part: string): string {
  return Buffer.from(part).toString();
}

/*
 * Estimates the memory that kept documents take. The factors were measured on thousands of documents of each kind, the
 * heaviest among them, and a test compares them with the memory that is really used.
 */

/** For a valid document that is forwarded: its text, plain and as JSON, and its numbers, but no tree. An integer. */
export function forwardedBytes(
  text: string,
  json: string,
  { numbers, queryPayload }: DocumentSize,
  { variableDefinitions = [] }: OperationDefinitionNode,
): number {
  const bytesPerCharacter = text.length === queryPayload ? 1 : 2.5;
  const texts = Math.ceil((text.length + json.length) * bytesPerCharacter);
  return texts + numbers * 10 + variableDefinitions.length * 96 + 4_608;
}

/** The compiled form holds each field once for every spread of its fragment, and for each combination of conditions. */
const maxCompiledNodes = 1_000;
/** Combinations of conditions that are kept compiled. */
export const maxVariants = 4;

/** For a valid document that the gateway executes a part of: also its tree, its parts and its compiled form. */
export function treeBytes(
  text: string,
  { tokenCount = 0, definitions }: DocumentNode,
  { inputNodes }: DocumentSize,
): number {
  const variants = text.includes('@') ? maxVariants : 1;
  const compiledNodes = Math.min(inputNodes * variants, maxCompiledNodes);
  return tokenCount * 250 + compiledNodes * 700 + definitions.length * 4_096 + 4_096;
}

/** For a rejected document: its text, its errors and its numbers. */
export function refusedBytes(text: string, errors: readonly PlainError[], numbers = 0): number {
  const messages = errors.reduce((sum, { message }) => sum + message.length * 2 + 512, 0);
  return text.length * 2 + messages + numbers * 10 + 1_024;
}

/** `errors` is empty for a request that may be executed. */
interface DocumentAdmission {
  readonly errors: readonly GraphQLError[];
  /** `null` for a document that asks for the schema alone, and for one that is rejected before it is counted. */
  readonly usage: Usage | null;
}

/**
 * Decides whether a request may be executed. Checks in the ledger's order: the text, then the variables, then the schema. Takes
 * microseconds for a prepared document.
 */
export function admitDocument(
  prepared: PreparedDocument,
  variables: Variables,
  limits: Limits,
  operationName: string | null = null,
): DocumentAdmission {
  const { kind, size, text } = prepared;
  if (kind === 'refused') return { errors: toGraphQLErrors(prepared.errors, text), usage: null };
  const weight = weighRequest(size, variables, limits, operationName);
  const usage = size.isExempt ? null : priceDocument(size, variables, limits, operationName, weight);
  const refusal = checkVariables(size, variables, limits, operationName, text, weight);
  if (refusal) return { errors: [refusal.error], usage: refusal.hasUsage ? usage : null };
  return { errors: toGraphQLErrors(prepared.errors, text), usage };
}

/** What a request weighs with its variables: computed once, and used for its usage and its limits. */
interface RequestWeight {
  readonly outputNodes: number;
  readonly transactionBytes: number;
  readonly queryBytes: number;
}

type WeighingRules = Pick<Limits, 'defaultPageSize' | 'rules'>;

function weighRequest(
  size: DocumentSize,
  variables: Variables,
  { defaultPageSize, rules }: WeighingRules,
  operationName: string | null,
): RequestWeight {
  const transactionBytes = transactionPayload(size, variables, rules);
  const queryBytes = queryPart(size, variables, operationName, rules, transactionBytes);
  return { outputNodes: size.outputNodes(variables, defaultPageSize), transactionBytes, queryBytes };
}

/**
 * The usage of a document with these variables, as the ledger would report it. Takes microseconds. Documents that the ledger
 * rejects uncounted, or that ask for the schema alone, are counted too, though their usage is never shown.
 */
export function priceDocument(
  size: DocumentSize,
  variables: Variables,
  limits: WeighingRules,
  operationName: string | null = null,
  { outputNodes, queryBytes } = weighRequest(size, variables, limits, operationName),
): Usage {
  const { rules = contractRules } = limits;
  return {
    inputNodes: size.inputNodes,
    outputNodes,
    depth: size.depth,
    variables: Object.keys(variables).length,
    fragments: size.fragments,
    queryPayload: rules.payloadUsage === 'text' ? size.queryPayload : queryBytes,
  };
}

const limitNames = {
  overall: 'maxQueryPayloadSize',
  transaction: 'maxTransactionPayloadSize',
  query: 'maxQueryPayloadSize',
  page: 'maxPageSize',
  keys: 'maxMultiGetSize',
  output: 'maxOutputNodes',
} as const;

/**
 * Checks what depends on the variables, in the ledger's order: transaction payload, query text without that payload, output
 * nodes with sizes of pages. Then the gateway's own limit: upstream calls for pages of events and transactions.
 * @param text of the document; `null`: the rejection names no field
 */
export function checkVariables(
  size: DocumentSize,
  variables: Variables,
  limits: Limits,
  operationName: string | null = null,
  text: string | null = null,
  weight = weighRequest(size, variables, limits, operationName),
): LimitRefusal | null {
  const { maxTransactionPayloadSize, maxQueryPayloadSize, maxOutputNodes, calledPages: bounds } = limits;
  const { rules = contractRules } = limits;
  const { transactionBytes: transaction, queryBytes: query } = weight;
  const refuseBytes = (kind: 'overall' | 'transaction' | 'query', actual: number, max: number) => {
    if (actual <= max) return null;
    const limit = { name: limitNames[kind], max, actual };
    const breach = kind === 'transaction' ? locate() : null;
    return refuseAs(kind, { limit, ...(breach?.kind === kind && breach.at) }, limits);
  };
  const locate = () => (text === null ? null : locateBreach(text, variables, limits));
  const tooLarge =
    (rules.payload === 'body'
      ? refuseBytes('overall', query + transaction, maxQueryPayloadSize + maxTransactionPayloadSize)
      : null) ??
    refuseBytes('transaction', transaction, maxTransactionPayloadSize) ??
    refuseBytes('query', query, maxQueryPayloadSize);
  if (tooLarge) return tooLarge;
  const sizeOf = (page: PageSize) => resolvePageSize(page, variables, 0);
  const page = size.boundedPages.find((each) => each.max !== null && sizeOf(each) > each.max);
  const nodes = size.isExempt ? 0 : weight.outputNodes;
  if (page || nodes > maxOutputNodes) {
    const ofPage = page && ({ kind: page.isList ? 'keys' : 'page', max: page.max ?? 0, actual: sizeOf(page) } as const);
    const ofOutput = { kind: 'output', max: maxOutputNodes, actual: nodes } as const;
    const { kind, max, actual, at } = { at: null, ...(locate() ?? ofPage ?? ofOutput) };
    const limit = { name: limitNames[kind], max, actual: actual ?? nodes };
    return refuseAs(kind, { limit, ...at, hasUsage: kind === 'output' }, limits);
  }
  if (size.complexity && rules.complexity) {
    const actual = size.complexity(variables, rules.complexity.pageSize);
    if (actual > rules.complexity.max) return refuseComplexity(actual, rules.complexity);
  }
  if (size.calledPages.length === 0 || !bounds) return null;
  // The ledger has no such limit: it reads pages from a database, while these pages take calls to a node.
  const calls = mostCalls(size.calledPages, variables, bounds);
  if (calls <= bounds.maxCalls) return null;
  const message = `Pages of events and transactions may take ${calls} calls, which exceeds max of ${bounds.maxCalls}`;
  return refuse(message, { limit: { name: 'maxEventCalls', max: bounds.maxCalls, actual: calls }, hasUsage: true });
}

/** Bytes of transaction payload: literals in the text and values of variables. */
export function transactionPayload(
  { transaction }: DocumentSize,
  variables: Variables,
  rules: LimitRules = contractRules,
): number {
  let bytes = transaction.literalBytes;
  for (const name of transaction.variables) bytes = addCounts(bytes, valueBytes(readVariable(variables, name), rules));
  return bytes;
}

/** Bytes that count against the query allowance: of the text, or of the body that carries it, without transaction payload. */
export function queryPart(
  size: DocumentSize,
  variables: Variables,
  operationName: string | null,
  rules: LimitRules = contractRules,
  transactionBytes = transactionPayload(size, variables, rules),
): number {
  const { queryPayload, bodyBytes, transaction } = size;
  if (rules.payload === 'text') return queryPayload - transaction.inlinedBytes;
  const variablesBytes =
    Object.keys(variables).length === 0 ? 0 : Buffer.byteLength(`,"variables":${printJson(variables)}`);
  const named = operationName === null ? 0 : Buffer.byteLength(`,"operationName":${JSON.stringify(operationName)}`);
  return Math.max(0, bodyBytes + variablesBytes + named - transactionBytes);
}
