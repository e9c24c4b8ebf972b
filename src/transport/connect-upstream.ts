import type { Dispatcher } from 'undici';
import { createRawCall, type RawCall } from './raw-call.ts';
import { createUpstreamCall, type UpstreamCall } from './upstream-call.ts';
import { type ObservedUpstream, observeUpstream } from './upstream-health.ts';

/** Largest answer of an upstream that is read, in bytes: introspection of a large ledger is a few megabytes. */
const maxResponseBytes = 64 * 1024 * 1024;

export interface UpstreamConnection extends ObservedUpstream {
  /** Path and query of the configured address. */
  readonly path: string;
}

export interface ConnectOptions {
  readonly url: string;
  readonly dispatcher: Dispatcher;
  readonly now: () => number;
}

/** Makes the observed call to a configured address. Credentials in the address become a Basic authorization header. */
export function connectUpstream({ url, dispatcher, now }: ConnectOptions): UpstreamConnection {
  const { origin, pathname, search, username, password } = new URL(url);
  const call = createUpstreamCall({ origin, dispatcher, maxResponseBytes });
  const rawCall = createRawCall({ origin, dispatcher, maxResponseBytes });
  const path = pathname + search;
  if (!username) return { ...observeUpstream({ call, rawCall }, now), path };
  const authorization = `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`;
  const authorized: UpstreamCall = (request) => call({ ...request, headers: { authorization, ...request.headers } });
  const rawAuthorized: RawCall = (request, listener) =>
    rawCall({ ...request, headers: ['authorization', authorization, ...request.headers] }, listener);
  return { ...observeUpstream({ call: authorized, rawCall: rawAuthorized }, now), path };
}

/** A credential with a bare percent sign is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
