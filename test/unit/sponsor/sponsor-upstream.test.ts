import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parseConfig } from '../../../src/config/parse-config.ts';
import type { createSponsorResolvers } from '../../../src/sponsor/sponsor-resolvers.ts';
import { type SponsorHost, sponsorUpstream } from '../../../src/sponsor/sponsor-upstream.ts';
import { createMemoryStore } from '../../../src/sponsor/store/memory-store.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import type { UpstreamConnection } from '../../../src/upstream/connect-upstream.ts';
import type { OperationContext } from '../../../src/upstream/operation-context.ts';
import { UpstreamCallError } from '../../../src/upstream/upstream-call-error.ts';

const memory = createMemoryStore();

function connect(call: () => Promise<never>, env: Record<string, string>, host: Partial<SponsorHost>) {
  const addresses = { LEDGER_GRAPHQL_URL: 'http://127.0.0.1:1', SPONSOR_URL: 'http://127.0.0.1:1' };
  const whole = {
    config: parseConfig({ env: { ...addresses, ...env }, readFile: () => '' }),
    telemetry: { leaseKeyMade() {}, sponsorship() {}, sponsorObserved() {} },
    now: () => 0,
    watchSecret() {},
    shareSecret: async () => () => {},
    sponsorshipStore: memory,
    transactions: { canFind: () => true, find: async () => null },
    ...host,
  } as unknown as SponsorHost;
  const connection = { call, path: '/', complain() {} };
  return sponsorUpstream.connect(connection as unknown as UpstreamConnection, whole);
}

test('a closed upstream reads the store no more, and leaves no timer', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let claims = 0;
  const sponsorshipStore = {
    ...memory,
    claimOverdue(claim: Parameters<typeof memory.claimOverdue>[0]) {
      claims += 1;
      return memory.claimOverdue(claim);
    },
  };
  const connected = await connect(() => Promise.reject(new Error('asked')), {}, { sponsorshipStore });
  await vi.advanceTimersByTimeAsync(60_000);
  const before = claims;
  expect(before).toBeGreaterThan(2);
  await connected.close?.();
  await vi.advanceTimersByTimeAsync(600_000);
  expect([claims, vi.getTimerCount()]).toEqual([before, 0]);
});

test('fetches the version again after a minute, although the wall clock is set back', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const versions = ['1.0.0-a', '1.0.0-b'];
  const call = async () => ({ status: 200, headers: new Map(), body: Buffer.from(versions.shift() ?? '') }) as never;
  let nowMs = Date.UTC(2027, 4, 5);
  const connected = await connect(call, {}, { now: () => nowMs });
  expect(await connected.version?.()).toBe('1.0.0-a');
  nowMs -= 3_600_000;
  await vi.advanceTimersByTimeAsync(60_000);
  await connected.version?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(await connected.version?.()).toBe('1.0.0-b');
  await connected.close?.();
});

test('closing waits for an execution that the sponsor has not answered', async () => {
  let fail = (_: Error) => {};
  const call = () =>
    new Promise<never>((_, reject) => {
      fail = reject;
    });
  const connected = await connect(call, { SPONSOR_PREFLIGHT: 'off' }, {});
  const { executeTx } = (connected.resolvers as ReturnType<typeof createSponsorResolvers>).Mutation;
  const caller = { id: 'a', kind: 'FORWARDED', authorization: null, rate: { key: 'a' }, gas: null, moveCalls: null };
  const context = { caller, cancellation: createCancellation(), requestId: 'r' } as unknown as OperationContext;
  const args = { reservationId: '1', txBytes: 'AAAA', userSig: 'AAAA', requestType: 'WAIT_FOR_EFFECTS_CERT' as const };
  const ended = executeTx({}, args, context).catch((error: Error) => error.message);
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  let isClosed = false;
  const closed = Promise.resolve(connected.close?.()).then(() => {
    isClosed = true;
  });
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  expect(isClosed).toBe(false);
  fail(new UpstreamCallError('unreachable', 'gone'));
  await closed;
  expect(await ended).toContain('Nothing was sent');
});

test('closing ends the sharing of a generated lease key', async () => {
  let shares = 0;
  const shareSecret = async () => {
    shares += 1;
    return () => {
      shares -= 1;
    };
  };
  const tokens = {
    SPONSOR_TOKEN: 'a-token-of-the-sponsor',
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'https://app.example',
  };
  const connected = await connect(() => new Promise(() => {}), tokens, { shareSecret });
  expect(shares).toBe(1);
  await connected.close?.();
  expect(shares).toBe(0);
});

test('an execution takes a simulation too if the policy of a client bounds its storage', () => {
  const addresses = { LEDGER_GRAPHQL_URL: 'http://127.0.0.1:1', SPONSOR_URL: 'http://127.0.0.1:1' };
  const callsWith = (gas: object) => {
    const env = { ...addresses, CLIENTS_FILE: '/clients' };
    const readFile = () => JSON.stringify([{ id: 'a', hash: 'a1'.repeat(32), gas }]);
    const field = {
      operation: 'mutation',
      name: 'executeTx',
      selects: () => false,
      readArguments: () => ({}),
    } as const;
    return sponsorUpstream.callsOf(field, parseConfig({ env, readFile }))?.calls;
  };
  expect([callsWith({ perDay: 5 }), callsWith({ storage: 5 })]).toEqual([1, 2]);
});
