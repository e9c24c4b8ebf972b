import { randomUUID } from 'node:crypto';
import { rateLimitHeaderNames } from '../callers/caller-gate.ts';
import { sourceHeader } from '../ledger/immutable/answer-notes.ts';

export interface StampOptions {
  /** Header names that carry the ledger's build version: the contract's, and the network's own. */
  readonly versionHeaders: readonly string[];
  /** The ledger's build version as last seen. */
  readonly rpcVersion: { readonly current: string };
  readonly corsOrigins: '*' | readonly string[];
}

const acceptableId = /^[\w.-]{1,64}$/;

/**
 * Ids of one process share a random prefix and count up. An id is no secret, so random bits for each request would be wasted.
 */
const idPrefix = randomUUID().slice(0, -12);
let idCount = 0;

function makeRequestId(): string {
  idCount += 1;
  return idPrefix + idCount.toString(16).padStart(12, '0');
}

/** The client's own request id if it is short and safe to repeat, else a new one. */
export function toRequestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && acceptableId.test(header) ? header : makeRequestId();
}

/**
 * Headers that every response carries, names and values by turns: version, request id, and for CORS who may read it. Each
 * call returns a new list, to which the caller may add.
 * @param origin of the page that asks, as its request says
 */
export type Stamps = (origin: string | undefined, requestId: string) => string[];

/** Is an origin configured? Configured origins are in lower case; scheme and host ignore case. */
export function isListed(origin: string, corsOrigins: readonly string[]): boolean {
  return corsOrigins.includes(origin) || corsOrigins.includes(origin.toLowerCase());
}

/** All but the request id is worked out once for each version and origin in use. */
export function createStamps({ versionHeaders, rpcVersion, corsOrigins }: StampOptions): Stamps {
  const exposed = [...versionHeaders, 'x-request-id', sourceHeader, ...rateLimitHeaderNames].join(', ');
  let version: string | undefined;
  let known = new Map<string | undefined, readonly string[]>();

  const make = (origin: string | undefined): readonly string[] => {
    const stamps = versionHeaders.flatMap((name) => [name, version ?? '']);
    if (corsOrigins !== '*') stamps.push('vary', 'origin');
    if (corsOrigins !== '*' && origin === undefined) return stamps;
    stamps.push('access-control-allow-origin', corsOrigins === '*' ? '*' : (origin ?? ''));
    stamps.push('access-control-expose-headers', exposed);
    return stamps;
  };

  return (origin, requestId) => {
    const { current } = rpcVersion;
    if (current !== version) {
      version = current;
      known = new Map();
    }
    // All other origins share one entry: anybody can invent new ones.
    const listed = corsOrigins !== '*' && origin !== undefined && isListed(origin, corsOrigins) ? origin : undefined;
    let stamps = known.get(listed);
    if (!stamps) {
      stamps = make(listed);
      // Do not keep other spellings of a listed origin: there are thousands.
      if (listed === undefined || corsOrigins.includes(listed)) known.set(listed, stamps);
    }
    return ['x-request-id', requestId, ...stamps];
  };
}
