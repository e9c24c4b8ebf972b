import type { Dispatcher } from 'undici';
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
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  const authorized: UpstreamCall = (request) =>
    call({ ...request, headers: { authorization: `Basic ${credentials}`, ...request.headers } });
  return { ...observeUpstream(username ? authorized : call, now), path: pathname + search };
}

/** A credential with a bare percent sign is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
