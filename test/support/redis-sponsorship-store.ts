import { Secret } from '../../src/config/secret.ts';
import { connectRedisStore } from '../../src/sponsor/redis-store/redis-store.ts';
import type { SponsorshipStore } from '../../src/sponsor/store/decide.ts';
import type { StoreBounds } from '../../src/sponsor/store/sponsorship-store.ts';

/** Long timeouts: instances must agree even on a busy test machine. */
const patientMs = 30_000;

export function openRedisStore(
  url: string,
  { timeoutMs = patientMs, bounds }: { timeoutMs?: number; bounds?: StoreBounds | undefined } = {},
): Promise<SponsorshipStore> {
  const options = { url: new Secret(url), timeoutMs, ...(bounds ? { bounds } : {}) };
  return connectRedisStore(options, { failed: () => {}, ready: () => {}, mayEvict: () => {} });
}
