import type { JSONWebKeySet } from 'jose';
import { startPeerTimeout } from '../../upstream/peer-timeout.ts';

export interface FetchKeySetOptions {
  readonly url: string;
  /** Milliseconds until the whole answer must be there. */
  readonly timeoutMs: number;
  /** Of the answer, unpacked. */
  readonly maxBytes: number;
}

/** More than any issuer has at a time. */
const maxKeys = 100;

/**
 * Reads the keys that an issuer publishes. Follows no redirect: whom the operator trusts is whom the setting names.
 * @throws Error with a message for operators, which never repeats the address or the answer
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
    // Leaving the loop ends the connection.
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
  const keys: unknown = typeof value === 'object' && value !== null && 'keys' in value ? value.keys : null;
  const isKeyList = Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null);
  if (!isKeyList || keys.length > maxKeys) throw new UnusableAnswer(`the answer is no set of up to ${maxKeys} keys`);
  return { keys };
}

function toReason(error: unknown): string {
  if (error instanceof UnusableAnswer) return error.message;
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'it cannot be asked';
}
