import { printJson } from '../json/exact-json.ts';
import type { Cancellation } from '../upstream/cancellation.ts';

export interface LedgerPostOptions {
  /** Path of the GraphQL endpoint, query string included. */
  readonly path: string;
  readonly timeouts: { readonly queryMs: number; readonly mutationMs: number };
}

/** An operation in the form that is sent to the ledger. */
export interface LedgerPostContent {
  /** The document as a JSON string, with its quotes. */
  readonly queryJson: string;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly operationName: string | null;
  /** Once sent, a mutation is never cancelled: its outcome would be unknown. */
  readonly isMutation: boolean;
}

/** In characters. A longer body is encoded once, so that its text is not kept. */
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
