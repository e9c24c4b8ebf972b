import type { MetricValues } from '../../telemetry/metrics.ts';
import type { Shared, WorkerFacts } from '../siblings.ts';
import type { ReloadedLists } from '../watch-lists.ts';

/** Everything that a worker needs before it can begin. */
export interface Beginning {
  readonly shared: Shared;
  /** Chosen once, so that all workers, also later ones, listen on the same port. */
  readonly port: number;
  /** `cursorKeys` of the configuration: the primary may have read them from a file of its own. */
  readonly cursorKeys: readonly string[] | null;
  /**
   * The text of every file that the configuration was read from, by path: a worker that starts later reads the same text even
   * if the files have changed. Of files that are reloaded: the text in force.
   */
  readonly files: Readonly<Record<string, string>>;
  /** Milliseconds between the heartbeats that the worker sends. */
  readonly heartbeatMs: number;
}

export type ToWorker =
  | { readonly kind: 'begin'; readonly beginning: Beginning }
  /** Number of workers that serve now. */
  | { readonly kind: 'serving'; readonly count: number }
  /** Poll the ledger's schema now. */
  | { readonly kind: 'check schema' }
  /** The file of clients or trusted documents has changed. */
  | { readonly kind: 'lists'; readonly lists: ReloadedLists }
  /** The metrics page that the worker requested. */
  | { readonly kind: 'metrics page'; readonly page: string }
  /**
   * Keep serving for this long, finish running operations, and exit.
   * `isReplaced`: another worker serves already, so accept no more connections.
   */
  | { readonly kind: 'stop'; readonly drainMs: number; readonly isReplaced?: boolean };

export type FromWorker =
  /** The worker's process runs and is ready for its start message. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'ready'; readonly facts: WorkerFacts }
  /** A heartbeat: the event loop runs. `metrics`: the worker's metrics, once it has begun. */
  | { readonly kind: 'alive'; readonly metrics?: MetricValues | null }
  /** A client of this worker requests the metrics of all workers. */
  | { readonly kind: 'metrics requested' }
  | { readonly kind: 'failed'; readonly reason: string; readonly stack: string }
  /** The worker adopted a new ledger schema, identified by `schema`. */
  | { readonly kind: 'schema replaced'; readonly schema: string };

/** Distinguishes these messages from others between the same two processes. */
const channel = 'ledger-gateway';

interface Envelope<Message> {
  readonly channel: typeof channel;
  readonly message: Message;
}

export function toEnvelope<Message extends ToWorker | FromWorker>(message: Message): Envelope<Message> {
  return { channel, message };
}

/** @returns `null` for foreign messages; our own need no further check, because both processes run the same program */
export function openEnvelope<Message extends ToWorker | FromWorker>(received: unknown): Message | null {
  if (typeof received !== 'object' || received === null) return null;
  const { channel: tag, message } = received as Partial<Envelope<Message>>;
  return tag === channel && message ? message : null;
}
