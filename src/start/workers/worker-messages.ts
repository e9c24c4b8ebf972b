import type { Client } from '../../config/client.ts';
import type { MetricValues } from '../../telemetry/metrics.ts';
import type { Shared, WorkerFacts } from '../siblings.ts';

/** What a worker needs to know before it can begin. */
export interface Beginning {
  readonly shared: Shared;
  /** Chosen once, so that all workers, also those started later, listen on the same port. */
  readonly port: number;
  /**
   * The text of every file that the configuration was read from, by path: a worker that is started later reads the same text
   * even if the files have changed. Of the clients file: the text in force.
   */
  readonly files: Readonly<Record<string, string>>;
  /** Milliseconds between two heartbeats that the worker sends from now on. */
  readonly heartbeatMs: number;
}

/** From the primary to a worker. */
export type ToWorker =
  | { readonly kind: 'begin'; readonly beginning: Beginning }
  /** How many workers serve now. */
  | { readonly kind: 'serving'; readonly count: number }
  /** Check the ledger's schema now. */
  | { readonly kind: 'check schema' }
  /** The clients file has changed. */
  | { readonly kind: 'clients'; readonly clients: readonly Client[] }
  /** The page of metrics that the worker requested. */
  | { readonly kind: 'metrics page'; readonly page: string }
  /** Continue to serve for so long, finish running operations, and end. */
  | { readonly kind: 'stop'; readonly drainMs: number };

/** From a worker to the primary. */
export type FromWorker =
  /** Its process runs and can be told to begin. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'ready'; readonly facts: WorkerFacts }
  /** A heartbeat: its event loop runs. `metrics`: its numbers, once it has begun. */
  | { readonly kind: 'alive'; readonly metrics?: MetricValues | null }
  /** A client requests the metrics of all workers. */
  | { readonly kind: 'metrics requested' }
  /** It could not start. */
  | { readonly kind: 'failed'; readonly reason: string; readonly stack: string }
  /** `schema`: identifies it. */
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

/** @returns `null` for other messages; ours are not checked further, because both processes run the same program */
export function openEnvelope<Message extends ToWorker | FromWorker>(received: unknown): Message | null {
  if (typeof received !== 'object' || received === null) return null;
  const { channel: tag, message } = received as Partial<Envelope<Message>>;
  return tag === channel && message ? message : null;
}
