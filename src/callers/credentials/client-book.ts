import { timingSafeEqual } from 'node:crypto';
import type { Client } from '../../config/client.ts';
import type { Caller, Scope } from '../../upstream/operation-context.ts';
import { Withdrawable } from './validity.ts';

/** A client with an API key, as whoever comes with the key is known. */
export interface KnownClient {
  readonly caller: Caller;
  /** Web origins whose pages may use the key, and nobody else; `null` = everybody may. */
  readonly origins: readonly string[] | null;
}

/** The clients with API keys. They may be replaced at any moment: each request is judged by those in force then. */
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
 * @param auth who holds the sponsor's token. `forward`: the callers; then the sponsor judges what a caller may do, and what a
 * client's entry says about scopes, gas and calls could be escaped by leaving the key out
 */
export function createClientBook(clients: readonly Client[], auth: 'forward' | 'token'): ClientBook {
  const toEntries = (list: readonly Client[], known: ReadonlyMap<string, Entry>) =>
    new Map(list.map((client) => [client.hash, toEntry(client, auth, known.get(client.hash))]));
  let entries = toEntries(clients, new Map());
  return {
    /**
     * Looked up by a hash that depends on every character of the key alike: how long it takes may tell something about
     * stored hashes, but nothing about the beginning of a key, since nobody can choose keys whose hashes begin alike.
     * What is found and what is not are compared once more, each in the same time.
     */
    find(hash) {
      const entry = entries.get(hash);
      return timingSafeEqual(entry?.hash ?? nobody, Buffer.from(hash, 'latin1')) && entry ? entry : null;
    },
    replace(list) {
      const before = entries;
      entries = toEntries(list, before);
      // Who comes back at once is judged by those in force now.
      for (const [hash, { validity }] of before) if (entries.get(hash)?.validity !== validity) validity.end();
    },
  };
}

/** @param known of the same key until now: what was opened with it goes on if it is the same client's, for the same origins */
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
