import type { Config } from '../config/config.ts';

import { type AddressGate, type CallerGate, createAddressGate, createCallerGate } from './caller-gate.ts';
import { toTrustedProxies } from './client-address.ts';
import { type ClientBook, createClientBook } from './credentials/client-book.ts';
import type { SigningKeyEvents } from './credentials/signing-keys.ts';
import { createIdentify } from './identify-caller.ts';
import { createOutage, createRateLimiter, type OutageEvents, type RateLimiter } from './rate-limiter.ts';
import { openRateStore } from './rate-store.ts';

export interface AdmissionOptions {
  /** Processes that serve as one gateway, this one included. */
  readonly workers: number;
  readonly config: Pick<Config, 'clients' | 'jwt' | 'rateLimit' | 'sponsorship' | 'trustedProxies' | 'upstreams'>;
  /** Called when Redis goes away and when it comes back. */
  readonly outage: OutageEvents;
  readonly signingKeys: SigningKeyEvents;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export interface Admission {
  readonly gate: CallerGate;
  readonly addresses: AddressGate;
  readonly limiter: RateLimiter;
  /** `null`: there are no API keys. */
  readonly clients: ClientBook | null;
}

/** Opens everything that admits callers. Close the limiter when nothing is served any more. */
export async function openAdmission(options: AdmissionOptions): Promise<Admission> {
  const { config, workers, outage: events, signingKeys, now } = options;
  const { redis, perMinute } = config.rateLimit;
  const outage = createOutage(events);
  const own = workers > 1 ? ({ kind: 'cluster' } as const) : ({ kind: 'memory' } as const);
  const store = await openRateStore(redis ? { kind: 'redis', url: redis.url } : own, outage);
  const limiter = createRateLimiter({ store, perMinute, sharedBy: (redis?.sharedBy ?? 1) * workers, outage, now });
  const trustedProxies = toTrustedProxies(config.trustedProxies);
  const { auth } = config.sponsorship;
  const clients = config.clients && createClientBook(config.clients, auth);
  // Loaded only where it is used.
  const tokens =
    config.jwt &&
    (await import('./credentials/token-book.ts')).openTokenBook({ rules: config.jwt, auth, events: signingKeys, now });
  const identify = createIdentify({
    auth,
    allowAnonymous: config.sponsorship.allowAnonymous,
    devnet: config.upstreams.kind === 'devnet',
    clients,
    tokens,
    trustedProxies,
  });
  return {
    gate: createCallerGate({ identify, limiter }),
    addresses: createAddressGate(limiter, trustedProxies),
    limiter,
    clients,
  };
}
