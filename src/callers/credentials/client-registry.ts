import { timingSafeEqual } from 'node:crypto';
import type { Client } from '../../config/client.ts';
import type { Caller, Scope, Validity } from '../../upstream/operation-context.ts';

/** The validity of a credential that may be revoked. */
export class RevocableValidity implements Validity {
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  onEnd(then: () => void): () => void {
    if (this.#isOver) {
      then();
      return () => {};
    }
    // The same function may be registered several times.
    const own = () => then();
    this.#waiting.add(own);
    return () => void this.#waiting.delete(own);
  }

  end(): void {
    this.#isOver = true;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const then of waiting) then();
  }
}

/** In milliseconds: the clock may be set while a timer runs, and timers are limited to 25 days. */
const longestTimerMs = 60_000;

/** The validity of a credential that expires. Runs a timer only while there are listeners. @param untilMs milliseconds since the Unix epoch, as `now` */
export function createExpiry(untilMs: number, now: () => number): Validity {
  const credential = new RevocableValidity();
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const leftMs = untilMs - now();
    if (leftMs <= 0) credential.end();
    else timer = setTimeout(look, Math.min(leftMs, longestTimerMs)).unref();
  };
  return {
    onEnd(then) {
      const stop = credential.onEnd(then);
      waiting += 1;
      if (waiting === 1) look();
      let isWaiting = true;
      return () => {
        stop();
        if (isWaiting) waiting -= 1;
        isWaiting = false;
        if (waiting === 0) clearTimeout(timer);
      };
    },
  };
}

/** A client with an API key. */
export interface KnownClient {
  readonly caller: Caller;
  /** Only pages of these web origins may use the key; `null` = no restriction. */
  readonly origins: readonly string[] | null;
}

export type ClientRegistry = ReturnType<typeof createClientRegistry>;

interface Entry extends KnownClient {
  readonly hash: Buffer;
  readonly validity: RevocableValidity;
}

export const allScopes: ReadonlySet<Scope> = new Set(['read', 'sponsor', 'admin']);
const noHash = Buffer.alloc(64);

/**
 * The clients with API keys. Their list may be replaced at any time.
 * @param auth `forward`: callers hold the sponsor's token, and the sponsor decides. Scopes, gas and calls of a client then do
 * not apply, because a caller could evade them by omitting the key
 */
export function createClientRegistry(clients: readonly Client[], auth: 'forward' | 'token') {
  const toEntries = (list: readonly Client[], known: ReadonlyMap<string, Entry>) =>
    new Map(list.map((client) => [client.hash, toEntry(client, auth, known.get(client.hash))]));
  let entries = toEntries(clients, new Map());
  return {
    /**
     * The lookup time may reveal something about stored hashes, but nothing about keys, because clients cannot choose keys by
     * the beginning of their hash. Then hits and misses are compared in constant time.
     * @param hash SHA-256 of the whole key, in hex
     */
    find(hash: string): KnownClient | null {
      const entry = entries.get(hash);
      return timingSafeEqual(entry?.hash ?? noHash, Buffer.from(hash, 'latin1')) && entry ? entry : null;
    },
    replace(list: readonly Client[]): void {
      const previousEntries = entries;
      entries = toEntries(list, previousEntries);
      for (const [hash, { validity }] of previousEntries) if (entries.get(hash)?.validity !== validity) validity.end();
    },
  };
}

/** @param known the previous entry of the same key: its streams continue if client and origins are the same */
function toEntry(client: Client, auth: 'forward' | 'token', known: Entry | undefined): Entry {
  const id = `client:${client.id}`;
  const isJudgedBySponsor = auth === 'forward';
  const isSame = known?.caller.id === id && String(known.origins) === String(client.origins);
  const validity = known && isSame ? known.validity : new RevocableValidity();
  return {
    hash: Buffer.from(client.hash, 'latin1'),
    validity,
    origins: client.origins,
    caller: {
      id,
      kind: 'API_KEY',
      authorization: null,
      scopes: isJudgedBySponsor ? allScopes : new Set(client.scopes),
      rate: { key: id, perMinute: client.perMinute },
      gas: isJudgedBySponsor || client.gasPerDay === null ? null : { key: id, perDay: client.gasPerDay },
      moveCalls: isJudgedBySponsor ? null : client.moveCalls,
      documents: client.documents ?? undefined,
      validity,
    },
  };
}

/** The differences between two lists, by id. */
export interface ListDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** @param toText equal for items without a difference */
export function diffById<Item extends { readonly id: string }>(
  before: readonly Item[],
  after: readonly Item[],
  toText: (item: Item) => string,
): ListDiff {
  const old = new Map(before.map((item) => [item.id, toText(item)]));
  const ids = new Set(after.map(({ id }) => id));
  return {
    added: after.filter(({ id }) => !old.has(id)).map(({ id }) => id),
    removed: before.filter(({ id }) => !ids.has(id)).map(({ id }) => id),
    changed: after.filter((item) => old.has(item.id) && old.get(item.id) !== toText(item)).map(({ id }) => id),
  };
}

/** The clients that were added or removed, or have another key or other permissions. */
export function diffClients(before: readonly Client[], after: readonly Client[]): ListDiff {
  return diffById(before, after, toText);
}

/** Equal for equal clients, regardless of the order of their lists. */
function toText({ hash, scopes, perMinute, origins, gasPerDay, moveCalls, documents }: Client): string {
  const sorted = (list: readonly string[] | null) => list && [...list].sort();
  return JSON.stringify([hash, sorted(scopes), perMinute, sorted(origins), gasPerDay, sorted(moveCalls), documents]);
}
