import { type RequestLineFields, requestLine, toJsonText } from './logger.ts';
import { redactText } from './redact-fields.ts';
import type { Trace } from './trace.ts';

/** Characters of an operation's name in the log; names may be as long as documents. */
export const maxLoggedName = 80;

export interface OperationFacts {
  readonly caller: string;
  /** The operation's name, cut to `maxLoggedName` characters. */
  readonly name: string | null;
  readonly type: string;
  readonly plan: string;
  readonly errors: number;
  /** Calls to upstreams that were begun for it. */
  readonly calls: number;
  /** `null` if the document asks for the schema alone. */
  readonly usage: OperationUsage | null;
  /** `memory` if the answer came from the cache, without an upstream call. */
  readonly from?: 'memory';
}

export interface OperationUsage {
  readonly inputNodes: number;
  readonly outputNodes: number;
  readonly depth: number;
  readonly variables: number;
  readonly fragments: number;
  readonly queryPayload: number;
}

/** A request that was answered, or whose client has left. */
export interface RequestFacts {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly operations: readonly OperationFacts[];
  /** The first few different codes of its errors, whether anything ran or not. */
  readonly codes?: readonly string[];
  /** Served by the lane, without Yoga. */
  readonly lane?: boolean;
  /** `null` or left out: it is not traced. */
  readonly trace?: Trace | null;
}

/**
 * The facts of a request as the fields of its log line. They write themselves, and only the path is searched for credentials:
 * it is the only free text of the caller, since operation names are GraphQL names.
 */
export type RequestRecord = Required<RequestFacts> & RequestLineFields;

/** @param codes `null` = there are none */
export function toRequestRecord(
  requestId: string,
  method: string,
  path: string,
  status: number,
  durationMs: number,
  operations: readonly OperationFacts[],
  codes: readonly string[] | null = null,
  lane = false,
  trace: Trace | null = null,
): RequestRecord {
  const noted = codes ?? noCodes;
  return { requestId, method, path, status, durationMs, operations, codes: noted, lane, trace, [requestLine]: toLine };
}

/** With the client's address, which a request without an operation has. */
function toLine(this: RequestRecord & { readonly address?: string }): string {
  const { requestId, method, path, status, durationMs, codes, trace, address } = this;
  const { length } = this.operations;
  const shown = length > maxShownOperations ? this.operations.slice(0, maxShownOperations) : this.operations;
  let operations = '';
  for (const each of shown) operations += operations === '' ? operationText(each) : `,${operationText(each)}`;
  const more = length > shown.length ? `,"more":${length - shown.length}` : '';
  const lane = this.lane ? ',"lane":true' : '';
  const client = address === undefined ? '' : `,"address":${toJsonText(address)}`;
  const ids = trace ? `,"trace_id":"${trace.traceId}","span_id":"${trace.spanId}"` : '';
  return `"requestId":"${requestId}"${headText(method, path, status)}${durationMs},"operations":[${operations}]${more}${codesText(codes)}${lane}${client}${ids}`;
}

/** More operations of a batch are only counted. */
const maxShownOperations = 8;

const noCodes: readonly string[] = [];

function codesText(codes: readonly string[]): string {
  return codes.length === 0 ? '' : `,"codes":${JSON.stringify(codes)}`;
}

/**
 * Most requests share these parts with the request before. Joining a few long texts costs half as much as joining many short
 * ones.
 */
const lastHead = { method: '', path: '', status: 0, text: '' };
const lastOperation: { facts: OperationFacts | null; text: string } = { facts: null, text: '' };

function headText(method: string, path: string, status: number): string {
  const last = lastHead;
  if (last.method !== method || last.path !== path || last.status !== status) {
    last.method = method;
    last.path = path;
    last.status = status;
    last.text = `,"method":"${method}","path":${toJsonText(shownPath(path))},"status":${status},"durationMs":`;
  }
  return last.text;
}

/** Maximum characters of a logged path; longer paths, all of which are rejected, are cut. */
const maxShownPath = 200;

/** The path in ASCII, like the whole line. */
function shownPath(path: string): string {
  const shown = path.length > maxShownPath ? `${path.slice(0, maxShownPath)}...` : path;
  return redactText(shown).replaceAll(/[^ -~]/g, '?');
}

function operationText(facts: OperationFacts): string {
  const last = lastOperation;
  if (last.facts === null || !areAlike(last.facts, facts)) {
    const { caller, name, type, plan, from } = facts;
    const shown = name === null ? 'null' : toJsonText(name);
    const source = from ? `,"from":"${from}"` : '';
    last.text = `{"caller":${toJsonText(caller)},"name":${shown},"type":"${type}","plan":"${plan}"${source}`;
    last.facts = facts;
  }
  return `${last.text},"errors":${facts.errors},"calls":${facts.calls},"usage":${usageText(facts.usage)}}`;
}

/** Do both log entries begin with the same text? */
function areAlike(one: OperationFacts, other: OperationFacts): boolean {
  return (
    one.caller === other.caller &&
    one.name === other.name &&
    one.type === other.type &&
    one.plan === other.plan &&
    one.from === other.from
  );
}

/** Faster than `JSON.stringify`, which would take longer than the rest of the line. */
function usageText(usage: OperationUsage | null): string {
  if (usage === null) return 'null';
  const { inputNodes, outputNodes, depth, variables, fragments, queryPayload } = usage;
  return `{"inputNodes":${inputNodes},"outputNodes":${outputNodes},"depth":${depth},"variables":${variables},"fragments":${fragments},"queryPayload":${queryPayload}}`;
}
