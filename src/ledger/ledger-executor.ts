import { type DocumentNode, type ExecutionResult, print, stripIgnoredCharacters } from 'graphql';
import type { Cancellation } from '../upstream/cancellation.ts';
import type { FairTurns } from '../upstream/fair-turns.ts';
import { toCancelledError, toGatewayError, UpstreamCallError } from '../upstream/upstream-call-error.ts';
import type { PlainLedgerAnswer, RawLedger, RawLedgerAnswer, RawLedgerRequest } from './raw-ledger.ts';

export interface ForwardRequest
  extends Pick<
    RawLedgerRequest,
    'isClientsText' | 'operationName' | 'variables' | 'isMutation' | 'least' | 'isParsed'
  > {
  /** The document, sent unchanged. */
  readonly text: string;
  /** A mutation is not sent if the operation has ended. */
  readonly cancellation?: Cancellation | undefined;
}

export interface LedgerReply {
  /** A plain response as bytes; `null` for any other, and if the response is parsed in any case. */
  readonly plain: PlainLedgerAnswer | null;
  /**
   * Parses the response in a turn of its caller. Operations that share a response share its result, so it must not be changed.
   * Rejects with a catalogued error if there is no response.
   */
  readonly read: () => Promise<ExecutionResult>;
}

/** Sends a document to the ledger unchanged. Never rejects: the reply's `read` does. */
export type ForwardToLedger = (request: ForwardRequest) => Promise<LedgerReply>;

/** The share of the gateway's own requests in the fair turns of callers. */
const ownTurns = 'gateway';

export function createForwardToLedger(ledger: RawLedger, turns: Pick<FairTurns, 'runQueued'>): ForwardToLedger {
  return ({ text, operationName, variables, isMutation, isClientsText, isParsed, least, cancellation }) =>
    new Promise((resolve) => {
      const fail = (error: unknown): never => {
        throw toGatewayError(error, 'ledger', isMutation);
      };
      const failed = (error: unknown): LedgerReply => ({ plain: null, read: async () => fail(error) });
      const toReply = (answer: RawLedgerAnswer): LedgerReply => {
        if (answer.kind === 'stream') return failed(new Error('an answer is streamed that must be whole'));
        return {
          plain: answer.kind === 'plain' ? answer : null,
          read() {
            // An operation that ends while the response waits for its turn does not need it; one of two parts may end before it is read.
            const isOver = cancellation?.cause != null;
            const parse = () => {
              if (cancellation?.cause && !isOver && !isMutation) throw toCancelledError(cancellation.cause);
              return answer.read();
            };
            if (cancellation) cancellation.bytesRead += answer.kind === 'plain' ? answer.body.size : answer.size;
            const caller = cancellation?.caller ?? ownTurns;
            const ahead = answer.parseAhead?.((work) => turns.runQueued(caller, null, work)) ?? null;
            const client = { onGone: (abandon: () => void) => void cancellation?.onCancel(abandon) };
            const readNow = () => turns.runQueued(caller, client, parse);
            return (ahead === null ? readNow() : ahead.then(readNow)).catch(fail);
          },
        };
      };
      const { cause = null } = cancellation ?? {};
      if (cause !== null) {
        resolve(failed(isMutation ? new UpstreamCallError('unsent', cause) : toCancelledError(cause)));
        return;
      }
      let stopListening = () => {};
      // Without a spread, whose hidden class is new for each request.
      const request: RawLedgerRequest = {
        queryJson: JSON.stringify(text),
        operationName,
        variables,
        isMutation,
        operation: cancellation,
        isClientsText,
        isParsed,
        least,
        usage: null,
        canStream: false,
      };
      const cancel = ledger(request, (answer) => {
        stopListening();
        resolve(toReply(answer));
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
  return async ({ document, variables, cancellation, least }) => {
    const text = typeof document === 'string' ? document : stripIgnoredCharacters(print(document));
    const reply = await forward({
      text,
      isClientsText: false,
      operationName: null,
      variables,
      isMutation: false,
      isParsed: true,
      least,
      cancellation,
    });
    return reply.read();
  };
}
