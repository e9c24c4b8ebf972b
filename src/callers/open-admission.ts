import type { Config } from '../config/config.ts';
import { type AddressGate, createAddressGate } from './address-gate.ts';
import { type CallerGate, createCallerGate } from './caller-gate.ts';
import { toTrustedProxies } from './client-address.ts';
import { type ClientBook, createClientBook } from './credentials/client-book.ts';
import type { SigningKeyEvents } from './credentials/signing-keys.ts';
import { createIdentify } from './identify-caller.ts';
import { openRateStore } from './rate/open-rate-store.ts';
import { createOutage, createRateLimiter, type OutageEvents, type RateLimiter } from './rate-limiter.ts';

export interface AdmissionOptions {
  /** Processes that serve as one gateway, of which this is one; 1: it serves alone. */
  readonly workers: number;
  readonly config: Pick<Config, 'clients' | 'jwt' | 'rateLimit' | 'sponsorship' | 'trustedProxies' | 'upstreams'>;
  /** Called when Redis goes away and when it comes back. */
  readonly outage: OutageEvents;
  /** Called about the keys that verify tokens. */
  readonly signingKeys: SigningKeyEvents;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export interface Admission {
  readonly gate: CallerGate;
  readonly addresses: AddressGate;
  readonly limiter: RateLimiter;
  /** `null`: there are none, and a key that is sent is not looked at. */
  readonly clients: ClientBook | null;
}

/** Builds what decides who may call and how much. Close the limiter once nothing is served any more. */
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
    addresses: createAddressGate({ limiter, trustedProxies }),
    limiter,
    clients,
  };
}
