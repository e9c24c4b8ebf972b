import { timingSafeEqual } from 'node:crypto';
import type { Client, ClientsFile } from '../../config/client.ts';
import {
  anonymousPolicy,
  groups,
  type NamedPolicy,
  noPolicy,
  noShares,
  type Policy,
  type Shares,
  toVisitorRate,
  withVisitorShares,
} from '../../config/policy.ts';
import type { Caller, CallerPolicy, Scope, Validity } from '../../upstream/operation-context.ts';

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
  /** The caller, as if the client were its only visitor. */
  readonly caller: Caller;
  /** Are its visitors told apart by their addresses? */
  readonly hasVisitors: boolean;
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

export interface RegistryOptions {
  /**
   * `forward`: callers hold the sponsor's token, and the sponsor decides. Scopes and policies then do not apply, because a
   * caller could evade them by omitting the key.
   */
  readonly auth: 'forward' | 'token';
  /** The general rate limit of a visitor; 0 = none. */
  readonly perMinute: number;
}

/** The rules of callers with one policy, without their visitor. */
export interface CallerRules extends Pick<Caller, 'rate' | 'live' | 'policy'> {}

/** The clients with API keys, and the policies of other callers. They may be replaced at any time. */
export function createClientRegistry(file: ClientsFile, options: RegistryOptions) {
  const toEntries = (list: readonly Client[], known: ReadonlyMap<string, Entry>) =>
    new Map(list.map((client) => [client.hash, toEntry(client, options, known.get(client.hash))]));
  const toPolicies = (list: readonly NamedPolicy[]) => new Map(list.map((policy) => [policy.id, policy]));
  let entries = toEntries(file.clients, new Map());
  let policies = toPolicies(file.policies);
  return {
    /** The policy of this name; `null` = there is none. */
    policy: (name: string): NamedPolicy | null => policies.get(name) ?? null,
    /**
     * The lookup time may reveal something about stored hashes, but nothing about keys, because clients cannot choose keys by
     * the beginning of their hash. Then hits and misses are compared in constant time.
     * @param hash SHA-256 of the whole key, in hex
     */
    find(hash: string): KnownClient | null {
      const entry = entries.get(hash);
      return timingSafeEqual(entry?.hash ?? noHash, Buffer.from(hash, 'latin1')) && entry ? entry : null;
    },
    replace(next: ClientsFile): void {
      const previousEntries = entries;
      entries = toEntries(next.clients, previousEntries);
      policies = toPolicies(next.policies);
      for (const [hash, { validity }] of previousEntries) if (entries.get(hash)?.validity !== validity) validity.end();
    },
  };
}

/** @param known the previous entry of the same key: its streams continue if client and origins are the same */
function toEntry(client: Client, options: RegistryOptions, known: Entry | undefined): Entry {
  const id = groups.client(client.id);
  const isJudgedBySponsor = options.auth === 'forward';
  const hasVisitors = client.visitors === 'by-address';
  const isSame = known?.caller.id === id && String(known.origins) === String(client.origins);
  const validity = known && isSame ? known.validity : new RevocableValidity();
  return {
    hash: Buffer.from(client.hash, 'latin1'),
    validity,
    origins: client.origins,
    hasVisitors,
    caller: {
      id,
      kind: 'API_KEY',
      authorization: null,
      scopes: isJudgedBySponsor ? allScopes : new Set(client.scopes),
      visitor: id,
      ...toRules(client, id, hasVisitors, options),
      documents: client.documents ?? undefined,
      validity,
    },
  };
}

/**
 * What callers with this policy may use.
 * @param key identifies what all its visitors use together
 * @param hasVisitors `false`: it is its own only visitor
 * @param total of several such keys together
 */
export function toRules(
  { policy, ...shares }: Shares & { readonly policy: Policy },
  key: string,
  hasVisitors: boolean,
  { auth, perMinute: usual }: RegistryOptions,
  total: CallerPolicy['total'] = null,
): CallerRules {
  const { perMinute } = shares.rate;
  const ofVisitor = hasVisitors ? toVisitorRate(shares) : perMinute;
  return {
    rate: { key, perMinute: ofVisitor, total: hasVisitors && perMinute ? { key, perMinute } : undefined },
    live: { key, streams: shares.streams, readers: shares.readers },
    policy:
      auth === 'forward'
        ? null
        : { group: key, rules: hasVisitors ? withVisitorShares(policy, ofVisitor ?? usual) : policy, total },
  };
}

/** What anonymous callers may use. */
export function toAnonymousRules(
  registry: Pick<ClientRegistry, 'policy'> | null,
  options: RegistryOptions,
): CallerRules {
  const { rate, ...shares } = registry?.policy(anonymousPolicy) ?? { ...noShares, policy: noPolicy };
  return toRules({ rate, ...shares }, groups.anonymous, true, options);
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

/** The clients and policies that were added or removed, or have another key or other permissions. */
export function diffClients(before: ClientsFile, after: ClientsFile): ListDiff {
  const toItems = ({ clients, policies }: ClientsFile) => [
    ...clients,
    ...policies.map((policy) => ({ ...policy, id: `policies.${policy.id}` })),
  ];
  return diffById<Client | NamedPolicy>(toItems(before), toItems(after), toText);
}

/** Equal for equal entries, regardless of the order of their lists. */
function toText(entry: Client | NamedPolicy): string {
  return JSON.stringify(entry, (_, value: unknown) => (Array.isArray(value) ? [...value].sort() : value));
}
