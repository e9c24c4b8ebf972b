import { expect, onTestFinished, test, vi } from 'vitest';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { type SponsorHost, sponsorUpstream } from '../../../src/sponsor/sponsor-upstream.ts';
import { createMemoryStore } from '../../../src/sponsor/store/memory-store.ts';
import type { UpstreamConnection } from '../../../src/upstream/connect-upstream.ts';

test('a closed upstream reads the store no more, and leaves no timer', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const env = { LEDGER_GRAPHQL_URL: 'http://127.0.0.1:1', SPONSOR_URL: 'http://127.0.0.1:1' };
  const memory = createMemoryStore();
  let claims = 0;
  const host = {
    config: parseConfig({ env, readFile: () => '' }),
    telemetry: {},
    now: () => 0,
    watchSecret() {},
    shareSecret: async () => () => {},
    sponsorshipStore: {
      ...memory,
      claimOverdue(claim: Parameters<typeof memory.claimOverdue>[0]) {
        claims += 1;
        return memory.claimOverdue(claim);
      },
    },
    transactions: { canFind: () => true, find: async () => null },
  } as unknown as SponsorHost;
  const connection = { call: () => Promise.reject(new Error('asked')), path: '/', complain() {} };
  const connected = await sponsorUpstream.connect(connection as unknown as UpstreamConnection, host);
  await vi.advanceTimersByTimeAsync(60_000);
  const before = claims;
  expect(before).toBeGreaterThan(2);
  await connected.close?.();
  await vi.advanceTimersByTimeAsync(600_000);
  expect([claims, vi.getTimerCount()]).toEqual([before, 0]);
});
