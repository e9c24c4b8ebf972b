import { test } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { connectRedisStore } from '../../src/sponsorship/redis-store/redis-store.ts';
import type { SponsorshipStore } from '../../src/sponsorship/store/sponsorship-store.ts';
import type { StoreBounds } from '../../src/sponsorship/store/store-bounds.ts';
import { redisMissing, startRedis } from '../support/redis-server.ts';
import { describeSponsorshipStore } from '../support/sponsorship-store-suite.ts';

/** Where instances have to agree, no answer of a busy test machine may come too late. */
const patientMs = 30_000;

const openStore = (url: string, timeoutMs = patientMs, bounds?: StoreBounds): Promise<SponsorshipStore> =>
  connectRedisStore(
    { url: new Secret(url), timeoutMs, ...(bounds ? { bounds } : {}) },
    { failed: () => {}, ready: () => {} },
  );

if (redisMissing) {
  test.skip(redisMissing, () => {});
} else {
  describeSponsorshipStore('in Redis', async () => {
    const redis = await startRedis();
    const [one, other] = await Promise.all([openStore(redis.url), openStore(redis.url)]);
    const opened = [one, other];
    return {
      async open(bounds) {
        if (!bounds) return { one, other };
        const bounded = await openStore(redis.url, patientMs, bounds);
        opened.push(bounded);
        return { one: bounded, other: bounded };
      },
      async close() {
        for (const store of opened) await store.close();
        await redis[Symbol.asyncDispose]();
      },
    };
  });
}
