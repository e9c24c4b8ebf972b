import { type DocumentNode, type ExecutionResult, print, stripIgnoredCharacters } from 'graphql';
import type { CancelCause, Cancellation } from '../upstream/cancellation.ts';
import type { FairTurns } from '../upstream/fair-turns.ts';
import { toCancelledError, toGatewayError, UpstreamCallError } from '../upstream/upstream-call-error.ts';
import type { RawLedger, RawLedgerRequest } from './raw-ledger.ts';

export interface ForwardRequest
  extends Pick<RawLedgerRequest, 'isClientsText' | 'operationName' | 'variables' | 'isMutation' | 'least'> {
  /** The document, sent unchanged. */
  readonly text: string;
  /** A mutation is not sent if the operation has ended. */
  readonly cancellation?: Cancellation | undefined;
}

/**
 * Sends a document to the ledger unchanged. Operations that share a response share its answer, so it must not be changed. Rejects
 * with a catalogued error if there is no response.
 */
export type ForwardToLedger = (request: ForwardRequest) => Promise<ExecutionResult>;

/** The share of the gateway's own requests in the fair turns of callers. */
const ownTurns = 'gateway';

/** Parses each answer in a turn of its caller. */
export function createForwardToLedger(ledger: RawLedger, turns: Pick<FairTurns, 'runQueued'>): ForwardToLedger {
  return ({ text, cancellation, isMutation, ...rest }) =>
    new Promise((resolve, reject) => {
      const failWith = (error: unknown) => reject(toGatewayError(error, 'ledger', isMutation));
      const failCancelled = (cause: CancelCause) => failWith(toCancelledError(cause));
      if (cancellation?.cause) {
        const { cause } = cancellation;
        return isMutation ? failWith(new UpstreamCallError('unsent', cause)) : failCancelled(cause);
      }
      const client = { onGone: (abandon: () => void) => void cancellation?.onCancel(abandon) };
      let stopListening = () => {};
      const request = { ...rest, isMutation, queryJson: JSON.stringify(text), operation: cancellation, isParsed: true };
      const cancel = ledger({ ...request, usage: null, canStream: false }, (answer) => {
        stopListening();
        if (answer.kind !== 'other') return failWith(new Error('an answer is forwarded as bytes that must be parsed'));
        if (cancellation) cancellation.bytesRead += answer.size;
        const read = () => {
          if (cancellation?.cause && !isMutation) throw toCancelledError(cancellation.cause);
          return answer.read();
        };
        const caller = cancellation?.caller ?? ownTurns;
        const ahead = answer.parseAhead?.((work) => turns.runQueued(caller, null, work)) ?? null;
        const readNow = () => turns.runQueued(caller, client, read);
        (ahead === null ? readNow() : ahead.then(readNow)).then(resolve, failWith);
      });
      if (cancellation) stopListening = cancellation.onCancel(cancel);
    });
}

/** A query that the gateway wrote. */
export interface LedgerRequest extends Partial<Pick<ForwardRequest, 'variables' | 'cancellation' | 'least'>> {
  readonly document: DocumentNode | string;
}

/** Resolves with the ledger's response, which must not be changed; rejects with a catalogued error if there is none. */
export type LedgerExecutor = (request: LedgerRequest) => Promise<ExecutionResult>;

/** Sends queries without ignorable characters, because the ledger limits their length in bytes. */
export function createLedgerExecutor(...how: Parameters<typeof createForwardToLedger>): LedgerExecutor {
  const forward = createForwardToLedger(...how);
  return ({ document, variables, ...rest }) => {
    const text = typeof document === 'string' ? document : stripIgnoredCharacters(print(document));
    return forward({ ...rest, variables, text, isClientsText: false, operationName: null, isMutation: false });
  };
}
