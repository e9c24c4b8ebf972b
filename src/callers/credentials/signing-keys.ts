import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

/** What operators hear of the keys that verify tokens. */
export interface SigningKeyEvents {
  /** They cannot be read. Told once, until they can be again. @param reason one line, without the address */
  readonly lost: (reason: string) => void;
  readonly back: () => void;
  /** There are others than before. */
  readonly replaced: (count: number) => void;
}

export interface SigningKeysOptions {
  /** Reads what the issuer publishes; bounded in time and size. */
  readonly fetchKeys: () => Promise<JSONWebKeySet>;
  readonly events: SigningKeyEvents;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** The keys that tokens may be signed with, as their issuer published them last. */
export interface SigningKeys {
  /**
   * Finds the key that a token names.
   * @throws KeysAwayError where it may exist but cannot be read; errors of jose where it does not
   */
  readonly keyFor: JWTVerifyGetKey;
  /** Reads them ahead of the first token. Never rejects. */
  refresh(): Promise<void>;
}

/** The issuer cannot be asked whether the key is good. */
export class KeysAwayError extends Error {}

/** Milliseconds for which keys are taken for what the issuer publishes: so long may one that it withdrew still count. */
const freshMs = 5 * 60_000;
/** While the issuer cannot be asked, keys that were good go on; but not for ever, since it cannot withdraw any meanwhile. */
const goodMs = 24 * 60 * 60_000;
/** Milliseconds between two readings, however many tokens name keys that are not there. */
const pauseMs = 30_000;
/** The same after one that failed. */
const retryMs = 5_000;

interface KnownKeys {
  readonly find: JWTVerifyGetKey;
  readonly text: string;
  readonly readAtMs: number;
}

export function createSigningKeys({ fetchKeys, events, now }: SigningKeysOptions): SigningKeys {
  let known: KnownKeys | null = null;
  let reading: Promise<void> | null = null;
  let triedAtMs: number | null = null;
  let isLost = false;

  /** A clock that was set back must not stop anything. */
  const isWithin = (sinceMs: number, spanMs: number) => now() >= sinceMs && now() - sinceMs < spanMs;

  const read = async (): Promise<void> => {
    try {
      const set = await fetchKeys();
      const text = JSON.stringify(set);
      const isOther = text !== known?.text;
      // What is known of keys that stay is kept: they need not be imported again.
      const find = isOther || !known ? createLocalJWKSet(set) : known.find;
      known = { find, text, readAtMs: now() };
      if (isLost) events.back();
      isLost = false;
      if (isOther) events.replaced(set.keys.length);
    } catch (error) {
      if (!isLost) events.lost(error instanceof Error ? error.message : 'unknown');
      isLost = true;
    }
  };

  const refresh = (): Promise<void> => {
    if (reading !== null) return reading;
    if (triedAtMs !== null && isWithin(triedAtMs, isLost ? retryMs : pauseMs)) return Promise.resolve();
    triedAtMs = now();
    reading = read().finally(() => {
      reading = null;
    });
    return reading;
  };

  const isUsable = () => known !== null && isWithin(known.readAtMs, goodMs);

  const find: JWTVerifyGetKey = (...args) => {
    if (!known || !isUsable()) throw new KeysAwayError();
    return known.find(...args);
  };

  return {
    refresh,
    async keyFor(...args) {
      if (!known || !isWithin(known.readAtMs, freshMs)) {
        const refreshed = refresh();
        // While the issuer is known to be away nobody waits for what is likely to fail again, where it can go on without.
        if (!isLost || !isUsable()) await refreshed;
      }
      try {
        return await find(...args);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      }
      // Perhaps the issuer signs with a new one.
      await refresh();
      try {
        return await find(...args);
      } catch (error) {
        throw isLost && error instanceof errors.JWKSNoMatchingKey ? new KeysAwayError() : error;
      }
    },
  };
}
