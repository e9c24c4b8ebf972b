import { randomBytes } from 'node:crypto';
import { Secret } from '../config/secret.ts';
import { signingKeys } from '../config/value-types.ts';
import type { UpstreamHost } from '../upstream/upstream.ts';
import { createLeaseKeys, type LeaseKeys } from './leases/lease-keys.ts';

/** In the shared store, and among workers: the key of all that have no configured one. */
const sharedKeyName = 'ledger-gateway:lease-key';

export interface OpenLeaseKeys {
  readonly keys: LeaseKeys;
  close(): void;
}

/**
 * The configured keys; without any, one that is made now, and that the operator hears of: what is reserved under it cannot
 * be executed once the gateway has started anew. On the embedded network nobody is told, for its sponsor forgets all
 * reservations at the same time; the processes that serve it still have one key.
 */
export async function openLeaseKeys(host: UpstreamHost): Promise<OpenLeaseKeys> {
  const { config, telemetry, shareSecret } = host;
  const { leaseKeys, files } = config.sponsorship;
  const [first, ...rest] = leaseKeys ?? [];
  if (first) {
    const keys = createLeaseKeys(first, ...rest);
    host.watchSecret({ setting: 'LEASE_KEYS_FILE', path: files.leaseKeys, type: signingKeys, adopt: keys.replace });
    return { keys, close: () => {} };
  }
  if (config.upstreams.kind !== 'devnet') telemetry.leaseKeyMade('LEASE_KEYS');
  const own = new Secret(randomBytes(32).toString('base64url'));
  const keys = createLeaseKeys(own);
  return { keys, close: await shareSecret(sharedKeyName, own, keys.adopt) };
}
