import { timingSafeEqual } from 'node:crypto';
import type { Client } from '../../config/client.ts';
import type { Caller, Scope } from '../../upstream/operation-context.ts';
import { Withdrawable } from './validity.ts';

/** A client with an API key. */
export interface KnownClient {
  readonly caller: Caller;
  /** Only pages of these web origins may use the key; `null` = no restriction. */
  readonly origins: readonly string[] | null;
}

/** The clients with API keys, which may be replaced at any time. */
export interface ClientBook {
  /** @param hash SHA-256 of the whole key, in hex */
  find(hash: string): KnownClient | null;
  replace(clients: readonly Client[]): void;
}

interface Entry extends KnownClient {
  readonly hash: Buffer;
  readonly validity: Withdrawable;
}

const everything: ReadonlySet<Scope> = new Set(['read', 'sponsor', 'admin']);
const nobody = Buffer.alloc(64);

/**
 * @param auth `forward`: callers hold the sponsor's token, and the sponsor decides. Scopes, gas and calls of a client then do not apply,
 * since a caller could evade them by omitting the key
 */
export function createClientBook(clients: readonly Client[], auth: 'forward' | 'token'): ClientBook {
  const toEntries = (list: readonly Client[], known: ReadonlyMap<string, Entry>) =>
    new Map(list.map((client) => [client.hash, toEntry(client, auth, known.get(client.hash))]));
  let entries = toEntries(clients, new Map());
  return {
    /**
     * The time of the lookup may reveal something about stored hashes, but nothing about keys, since nobody can choose keys by the
     * beginning of their hash. Then hits and misses are compared in constant time.
     */
    find(hash) {
      const entry = entries.get(hash);
      return timingSafeEqual(entry?.hash ?? nobody, Buffer.from(hash, 'latin1')) && entry ? entry : null;
    },
    replace(list) {
      const before = entries;
      entries = toEntries(list, before);
      for (const [hash, { validity }] of before) if (entries.get(hash)?.validity !== validity) validity.end();
    },
  };
}

/** @param known the entry of the same key until now: its streams go on if client and origins are the same */
function toEntry(client: Client, auth: 'forward' | 'token', known: Entry | undefined): Entry {
  const id = `client:${client.id}`;
  const isJudgedBySponsor = auth === 'forward';
  const isSame = known?.caller.id === id && String(known.origins) === String(client.origins);
  const validity = known && isSame ? known.validity : new Withdrawable();
  return {
    hash: Buffer.from(client.hash, 'latin1'),
    validity,
    origins: client.origins,
    caller: {
      id,
      kind: 'API_KEY',
      authorization: null,
      scopes: isJudgedBySponsor ? everything : new Set(client.scopes),
      rate: { key: id, perMinute: client.perMinute },
      gas: isJudgedBySponsor || client.gasPerDay === null ? null : { key: id, perDay: client.gasPerDay },
      moveCalls: isJudgedBySponsor ? null : client.moveCalls,
      validity,
    },
  };
}

/** The differences between two lists of clients, by client id. */
export interface ClientsDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** With another key, or other rights. */
  readonly changed: readonly string[];
}

export function diffClients(before: readonly Client[], after: readonly Client[]): ClientsDiff {
  const old = new Map(before.map((client) => [client.id, toText(client)]));
  const ids = new Set(after.map(({ id }) => id));
  return {
    added: after.filter(({ id }) => !old.has(id)).map(({ id }) => id),
    removed: before.filter(({ id }) => !ids.has(id)).map(({ id }) => id),
    changed: after.filter((client) => old.has(client.id) && old.get(client.id) !== toText(client)).map(({ id }) => id),
  };
}

/** Equal for equal clients, regardless of the order of their lists. */
function toText({ hash, scopes, perMinute, origins, gasPerDay, moveCalls }: Client): string {
  const sorted = (list: readonly string[] | null) => list && [...list].sort();
  return JSON.stringify([hash, sorted(scopes), perMinute, sorted(origins), gasPerDay, sorted(moveCalls)]);
}
