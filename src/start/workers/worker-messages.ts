import type { Client } from '../../config/client.ts';
import type { Shared, WorkerFacts } from '../siblings.ts';

/** What a worker needs to know before it can begin. */
export interface Beginning {
  readonly shared: Shared;
  /** Chosen once, so that all workers listen on the same one, those started later too. */
  readonly port: number;
  /**
   * The text of every file that the configuration was read from, by path: a worker that is started later reads the same,
   * whatever became of the files. Of the clients file: the text that is in force.
   */
  readonly files: Readonly<Record<string, string>>;
  /** Milliseconds between two signs of life that the worker gives from now on. */
  readonly beatMs: number;
}

/** From the primary to a worker. */
export type ToWorker =
  | { readonly kind: 'begin'; readonly beginning: Beginning }
  /** How many workers serve now. */
  | { readonly kind: 'serving'; readonly count: number }
  /** Look at the ledger's schema now. */
  | { readonly kind: 'look' }
  /** The clients file has become another one. */
  | { readonly kind: 'clients'; readonly clients: readonly Client[] }
  /** Serve on for so long, finish what runs, and end. */
  | { readonly kind: 'stop'; readonly drainMs: number };

/** From a worker to the primary. */
export type FromWorker =
  /** Its process is up, and can be told to begin. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'ready'; readonly facts: WorkerFacts }
  /** A sign of life: its thread is not stuck. */
  | { readonly kind: 'alive' }
  /** It could not start. */
  | { readonly kind: 'failed'; readonly reason: string; readonly stack: string }
  /** `schema`: what tells it from others. */
  | { readonly kind: 'schema replaced'; readonly schema: string };

/** Tells these messages from others between the same two processes. */
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
