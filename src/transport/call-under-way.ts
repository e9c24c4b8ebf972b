import type { CancelCause } from './cancellation.ts';

export interface CallUnderWay {
  /** Cancels the call: its listener or sink is told so, and nothing more. Does nothing once the call is over. */
  cancel(cause: CancelCause): void;
}

/** A call that knows whether it was sent. */
export interface SentCall extends CallUnderWay {
  /** The call has a connection: it was written to it, or is about to be. */
  readonly isSent: boolean;
}
