import { describe, expect, it, test } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { createSponsorClient, type SponsorClient } from '../../../src/sponsor/sponsor-client.ts';
import { watchSponsorVersion } from '../../../src/sponsor/sponsor-upstream.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import type { UpstreamRequest, UpstreamResponse } from '../../../src/upstream/upstream-call.ts';
import { UpstreamCallError } from '../../../src/upstream/upstream-call-error.ts';

type Said = string | Error | Promise<string>;

/** A sponsor that says one thing after the other, and time that stands still until it is moved. */
function watched(...sayings: Said[]) {
  const asked: UpstreamRequest[] = [];
  const clock = { now: 1_000_000 };
  const watch = watchSponsorVersion({
    path: '/base/',
    authorization: () => new Secret('Bearer of-the-gateway'),
    clock: () => clock.now,
    call: async (request) => {
      asked.push(request);
      const said = await sayings[Math.min(asked.length, sayings.length) - 1];
      if (said === undefined || said instanceof Error) throw said ?? new Error('nothing to say');
      return { status: 200, headers: new Map([['content-type', 'text/plain']]), body: Buffer.from(said) };
    },
  });
  return { watch, asked, clock };
}

test('the sponsor is probed once for concurrent callers, with the gateway’s credential', async () => {
  const { watch, asked } = watched('0.3.0-abc');
  expect(await Promise.all([watch.latest(), watch.latest()])).toEqual(['0.3.0-abc', '0.3.0-abc']);
  expect(await watch.latest()).toBe('0.3.0-abc');
  expect(asked).toEqual([
    expect.objectContaining({
      method: 'GET',
      path: '/base/version',
      headers: expect.objectContaining({ authorization: 'Bearer of-the-gateway' }),
    }),
  ]);
});

test('a state a minute old is returned immediately, and refreshed', async () => {
  let release = (_text: string): void => {};
  const held = new Promise<string>((resolve) => {
    release = resolve;
  });
  const { watch, asked, clock } = watched('0.3.0-old', held);
  await watch.latest();
  clock.now += 59_999;
  await watch.latest();
  expect(asked).toHaveLength(1);
  clock.now += 1;
  expect(await watch.latest()).toBe('0.3.0-old');
  expect(asked).toHaveLength(2);
  release('0.4.0-new');
  await held;
  await expect.poll(() => watch.latest()).toBe('0.4.0-new');
  expect(asked).toHaveLength(2);
});

describe('if the sponsor responds with nothing useful', () => {
  test.each<[string, Said]>([
    ['it does not answer', new Error('down')],
    ['it says something else', '<html> a page </html>'],
  ])('there is none to tell, and it is left alone for two seconds: %s', async (_, said) => {
    const { watch, asked, clock } = watched(said, '0.3.0-abc');
    expect(await watch.latest()).toBeNull();
    clock.now += 1_999;
    expect(await watch.latest()).toBeNull();
    expect(asked).toHaveLength(1);
    clock.now += 1;
    expect(await watch.latest()).toBe('0.3.0-abc');
  });

  test('the known state stays', async () => {
    const { watch, clock } = watched('0.3.0-abc', new Error('down'));
    await watch.latest();
    clock.now += 60_000;
    expect([await watch.latest(), await watch.latest()]).toEqual(['0.3.0-abc', '0.3.0-abc']);
  });
});

test('a client’s call updates the state, so that no probe is needed', async () => {
  const { watch, asked } = watched('never asked');
  const client = watch.observe({ version: async () => '0.3.0-heard' } as unknown as SponsorClient);
  const [heard, told] = await Promise.all([client.version(null, createCancellation()), watch.latest()]);
  expect([heard, told, await watch.latest()]).toEqual(['0.3.0-heard', '0.3.0-heard', '0.3.0-heard']);
  expect(asked).toEqual([]);
});

test('a caller that needs the state while a client’s call is in flight waits for it', async () => {
  const { watch, asked } = watched('never asked');
  const version = new Promise<string>((resolve) => setImmediate(resolve, '0.3.0-heard'));
  const client = watch.observe({ version: () => version } as unknown as SponsorClient);
  void client.version(null, createCancellation());
  expect(await watch.latest()).toBe('0.3.0-heard');
  expect(asked).toEqual([]);
});

test('a client’s failed call gives the client its own error, and no state', async () => {
  const { watch } = watched(new Error('down'));
  const client = watch.observe({ version: () => Promise.reject(new Error('refused')) } as unknown as SponsorClient);
  await expect(client.version(null, createCancellation())).rejects.toThrow('refused');
  expect(await watch.latest()).toBeNull();
});

test('a caller waits at most a second for another client’s call', async () => {
  const { watch } = watched('unused');
  const client = watch.observe({ version: () => new Promise<string>(() => {}) } as unknown as SponsorClient);
  void client.version(null, createCancellation());
  expect(await watch.latest()).toBeNull();
});

it('a rejected token is reported once, until it is accepted again', async () => {
  const success = () => ({ status: 200, headers: new Map(), body: Buffer.from('{"result":"success"}') });
  let outcome: () => UpstreamResponse = success;
  const changes: boolean[] = [];
  const client = createSponsorClient({
    call: async () => outcome(),
    path: '',
    requestTypeKey: 'requestType',
    timeouts: { queryMs: 1_000, mutationMs: 1_000 },
    observe() {},
    tokenChanged: (isRejected) => changes.push(isRejected),
  });
  const ask = () => client.reloadAccessController(null, createCancellation()).catch(() => null);

  await ask();
  outcome = () => ({ ...success(), status: 401, body: Buffer.from('Unauthorized') });
  await ask();
  await ask();
  outcome = () => {
    throw new UpstreamCallError('unreachable', 'away');
  };
  await ask();
  outcome = () => ({ ...success(), body: Buffer.from('1') });
  expect(await client.version(null, createCancellation())).toBe('1');
  expect(changes).toEqual([true]);
  outcome = success;
  await ask();
  expect(changes).toEqual([true, false]);
});
