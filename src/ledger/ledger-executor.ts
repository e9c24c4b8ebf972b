import { type DocumentNode, type ExecutionResult, print, stripIgnoredCharacters } from 'graphql';
import { printJson } from '../json/exact-json.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import type { FairTurns } from '../upstream/fair-turns.ts';
import type { UpstreamCall } from '../upstream/upstream-call.ts';
import { toCancelledError, toGatewayError } from '../upstream/upstream-call-error.ts';
import { parseLedgerAnswer, type TransientErrors } from './answers/ledger-answer.ts';
import type { RpcVersion } from './rpc-version.ts';

interface LedgerPostOptions {
  /** Path of the GraphQL endpoint, query string included. */
  readonly path: string;
  readonly timeouts: { readonly queryMs: number; readonly mutationMs: number };
}

/** An operation in the form that is sent to the ledger. */
interface LedgerPostContent {
  /** The document as a JSON string, with its quotes. */
  readonly queryJson: string;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly operationName: string | null;
  /** Once sent, a mutation is never cancelled: its outcome would be unknown. */
  readonly isMutation: boolean;
}

/** Characters above which a body is encoded once, so that its text is not kept. */
const longBody = 16 * 1024;

/** No header of the caller is sent, so that callers can share equal reads. */
const headers = { 'content-type': 'application/json', accept: 'application/json' } as const;

/** The request headers as alternating names and values. */
export const postHeaderPairs: readonly string[] = Object.entries(headers).flat();

/** Creates the request that carries an operation to the ledger, with its body as text or, if that is long, as bytes. */
export function createToLedgerPost({ path, timeouts }: LedgerPostOptions) {
  return ({ queryJson, variables, operationName, isMutation }: LedgerPostContent, cancellation?: Cancellation) => {
    // Add nothing to the client's request: some ledgers count every byte of a body against the query allowance.
    const variablesText = variables === undefined || isEmpty(variables) ? '' : printJson(variables);
    const variablesMember = variablesText === '' ? '' : `,"variables":${variablesText}`;
    const named = operationName === null ? '' : `,"operationName":${JSON.stringify(operationName)}`;
    const text = `{"query":${queryJson}${variablesMember}${named}}`;
    const isLong = text.length > longBody;
    return {
      method: 'POST',
      path,
      headers,
      body: isLong ? Buffer.from(text) : text,
      timeoutMs: isMutation ? timeouts.mutationMs : timeouts.queryMs,
      runOnMs: isMutation ? timeouts.mutationMs : undefined,
      isShareable: !isMutation,
      variablesText: isLong ? undefined : variablesText,
      cancellation,
    } as const;
  };
}

function isEmpty(members: object): boolean {
  for (const _ in members) return false;
  return true;
}

export interface LedgerExecutorOptions extends LedgerPostOptions {
  readonly call: UpstreamCall;
  /** Response header that carries the build version, lower case. */
  readonly versionHeader: string;
  readonly version: RpcVersion;
  readonly turns: Pick<FairTurns, 'runQueued'>;
  /** Left out: none. */
  readonly transient?: TransientErrors | undefined;
}

export interface ForwardRequest {
  /** The document, sent unchanged. */
  readonly text: string;
  /** Did the client write it? Only then do error locations in it mean anything to the client. */
  readonly isClientsText: boolean;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** A mutation is not sent if the operation has ended. Once sent, it is never cancelled: its outcome would be unknown. */
  readonly isMutation: boolean;
  readonly cancellation?: Cancellation | undefined;
  /** The oldest data that can answer, as a checkpoint. Left out or `null`: any. */
  readonly least?: number | null | undefined;
  /** Does the reader leave the answer as it is? Then operations that share a response share its answer. */
  readonly isReadOnly?: boolean | undefined;
}

/** Sends a document to the ledger unchanged. Rejects with a catalogued error if there is no response. */
export type ForwardToLedger = (request: ForwardRequest) => Promise<ExecutionResult>;

/** The share of the gateway's own requests in the fair turns of callers. */
const ownTurns = 'gateway';

/** Sends the document with its variables, and no header of the caller. Each answer is parsed in a turn of its caller. */
export function createForwardToLedger(options: LedgerExecutorOptions): ForwardToLedger {
  const { call, versionHeader, version, transient, turns } = options;
  const toPost = createToLedgerPost(options);
  return async ({ text, isClientsText, isMutation, cancellation, least, isReadOnly = false, ...request }) => {
    try {
      const post = toPost({ queryJson: JSON.stringify(text), isMutation, ...request }, cancellation);
      const response = await call({ ...post, least });
      const client = { onGone: (abandon: () => void) => void cancellation?.onCancel(abandon) };
      const parse = () => {
        if (cancellation?.cause && !isMutation) throw toCancelledError(cancellation.cause);
        version.observe(response.headers.get(versionHeader));
        return parseLedgerAnswer(response, isClientsText ? () => text : null, { isMutation, isReadOnly, transient });
      };
      return await turns.runQueued(cancellation?.caller ?? ownTurns, client, parse);
    } catch (error) {
      throw toGatewayError(error, 'ledger', isMutation);
    }
  };
}

/** A query that the gateway wrote. */
export interface LedgerRequest {
  readonly document: DocumentNode | string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly cancellation?: Cancellation | undefined;
  /** The oldest data that can answer, as a checkpoint. Left out or `null`: any. */
  readonly least?: number | null | undefined;
  /** Does the reader leave the answer as it is? Then operations that share a response share its answer. */
  readonly isReadOnly?: boolean | undefined;
}

/** Resolves with the ledger's response; rejects with a catalogued error if there is none. */
export type LedgerExecutor = (request: LedgerRequest) => Promise<ExecutionResult>;

/** Sends queries without ignorable characters, because the ledger limits their length in bytes. */
export function createLedgerExecutor(options: LedgerExecutorOptions): LedgerExecutor {
  const forward = createForwardToLedger(options);
  return ({ document, ...rest }) => {
    const text = typeof document === 'string' ? document : stripIgnoredCharacters(print(document));
    return forward({
      variables: undefined,
      ...rest,
      text,
      isClientsText: false,
      operationName: null,
      isMutation: false,
    });
  };
}
