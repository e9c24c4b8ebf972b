import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { startPeerTimeout } from '../../upstream/peer-timeout.ts';

/** Events of the keys that verify tokens, for the log. */
export interface SigningKeyEvents {
  /**
   * The keys cannot be fetched. Called once, until they can be fetched again.
   * @param reason one line, without the address
   */
  readonly lost: (reason: string) => void;
  readonly back: () => void;
  /** The set of keys has changed. */
  readonly replaced: (count: number) => void;
}

export interface SigningKeysOptions {
  /** Fetches the issuer's keys; bounded in time and size. */
  readonly fetchKeys: () => Promise<JSONWebKeySet>;
  readonly events: SigningKeyEvents;
  readonly now: () => number;
}

/** The issuer's keys cannot be fetched. */
export class KeysUnavailableError extends Error {}

/** Keys are fetched again after this time. A revoked key stays valid for up to this time. */
const freshMs = 5 * 60_000;
/** Old keys are used for this time while the issuer does not respond. The issuer cannot revoke keys meanwhile. */
const usableMs = 24 * 60 * 60_000;
/** Shortest pause between two fetches, however many tokens name unknown keys. */
const pauseMs = 30_000;
/** Shortest pause after a failed fetch. */
const retryMs = 5_000;

interface KnownKeys {
  readonly find: JWTVerifyGetKey;
  readonly text: string;
  readonly readAtMs: number;
}

/** The keys that the token issuer published last. */
export function createSigningKeys({ fetchKeys, events, now }: SigningKeysOptions) {
  let known: KnownKeys | null = null;
  let reading: Promise<void> | null = null;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let isLost = false;

  /** `false` if the clock was set back, so that keys are fetched again. */
  const isWithin = (sinceMs: number, spanMs: number) => now() >= sinceMs && now() - sinceMs < spanMs;

  const read = async (): Promise<void> => {
    try {
      const set = await fetchKeys();
      const text = JSON.stringify(set);
      const isOther = text !== known?.text;
      // An unchanged key set keeps its imported keys.
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

  /** Fetches the keys, for example before the first token. Never rejects. */
  const refresh = (): Promise<void> => {
    if (reading !== null) return reading;
    if (isWithin(triedAtMs, isLost ? retryMs : pauseMs)) return Promise.resolve();
    triedAtMs = now();
    reading = read().finally(() => {
      reading = null;
    });
    return reading;
  };

  const isUsable = () => known !== null && isWithin(known.readAtMs, usableMs);

  const find: JWTVerifyGetKey = (...args) => {
    if (!known || !isUsable()) throw new KeysUnavailableError();
    return known.find(...args);
  };

  return {
    refresh,
    /**
     * Finds the key that a token names.
     * @throws KeysUnavailableError if it may exist but cannot be fetched; errors of jose if it does not exist
     */
    async keyFor(...args: Parameters<JWTVerifyGetKey>) {
      if (!known || !isWithin(known.readAtMs, freshMs)) {
        const refreshed = refresh();
        // While the issuer is unavailable, use the old keys without waiting for a fetch that will probably fail.
        if (!isLost || !isUsable()) await refreshed;
      }
      try {
        return await find(...args);
      } catch {
        // The issuer may have added a key.
        await refresh();
      }
      try {
        return await find(...args);
      } catch (error) {
        throw isLost && error instanceof errors.JWKSNoMatchingKey ? new KeysUnavailableError() : error;
      }
    },
  };
}

export interface FetchKeySetOptions {
  readonly url: string;
  /** Timeout of the whole response. */
  readonly timeoutMs: number;
  /** Bytes of the decompressed response. */
  readonly maxBytes: number;
}

/** Maximum of keys, more than any issuer has. */
const maxKeys = 100;

/**
 * Fetches the keys that an issuer publishes. Follows no redirect: the operator trusts only the configured address.
 * @throws Error with a message for operators, which never repeats the address or the response
 */
export async function fetchKeySet({ url, timeoutMs, maxBytes }: FetchKeySetOptions): Promise<JSONWebKeySet> {
  const controller = new AbortController();
  const { signal } = controller;
  const stopWaiting = startPeerTimeout(timeoutMs, () => controller.abort());
  try {
    const headers = { accept: 'application/jwk-set+json, application/json' };
    const response = await fetch(url, { redirect: 'manual', signal, headers });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new UnusableAnswer(`the answer has status ${response.status}`);
    }
    return toKeySet(await readBounded(response, maxBytes));
  } catch (error) {
    throw new Error(signal.aborted ? `no whole answer within ${timeoutMs} ms` : toReason(error));
  } finally {
    stopWaiting();
  }
}

class UnusableAnswer extends Error {}

async function readBounded({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > maxBytes) throw new UnusableAnswer(`the answer is over ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

function toKeySet(text: string): JSONWebKeySet {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnusableAnswer('the answer is not JSON');
  }
  const keys: unknown = Object(value).keys;
  const isKeyList = Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null);
  if (!isKeyList || keys.length > maxKeys) throw new UnusableAnswer(`the answer is no set of up to ${maxKeys} keys`);
  return { keys };
}

function toReason(error: unknown): string {
  if (error instanceof UnusableAnswer) return error.message;
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'it cannot be asked';
}
