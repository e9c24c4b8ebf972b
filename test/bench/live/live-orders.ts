/** What a client of the bench of live events is told to do; it answers each order with one `LiveReport`. */
export type LiveOrder =
  | {
      readonly kind: 'open';
      readonly connections: number;
      /** Subscriptions on each. */
      readonly operations: number;
      readonly over: 'socket' | 'sse';
      /** The number of the first sender whose events are followed, one for each subscription; `null` = all events. */
      readonly firstSender: number | null;
      /** Connections that read nothing once their subscriptions are sent. */
      readonly frozen: number;
      readonly after: string | null;
    }
  /** What has come. `isFresh`: deliveries are timed from now on. */
  | { readonly kind: 'report'; readonly isFresh?: boolean };

export interface LiveReport {
  /** Subscriptions that are read. */
  readonly subscriptions: number;
  /** Of them, those that have had an event. */
  readonly begun: number;
  /** The serial number that the one which is furthest behind had last. */
  readonly least: number;
  /** Results that were not the event right behind the one before: gaps, repeats, errors, ends. */
  readonly faults: number;
  /** The first of them. */
  readonly fault: string | null;
  /** From when an event was told upstream until it was read. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the first item that came. */
  readonly cursor: string | null;
}

/** What the upstream of the bench is told to do; it answers with how often it was asked so far. */
export type TellOrder =
  /** One event of each of so many senders, at once. */
  { readonly kind: 'tell'; readonly senders: number } | { readonly kind: 'counts' };

export interface TellReport {
  readonly calls: number;
  /** Queries that differ among them, cursors aside: one for each reader. */
  readonly queries: number;
}

export function toSenderAddress(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`;
}
