import { expect, test } from 'vitest';
import { openAdmission } from '../../../src/callers/caller-gate.ts';
import { toSender } from '../../../src/callers/identify-caller.ts';
import { hashApiKey } from '../../../src/config/client.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';

/** Opens the gates of a gateway that allows two attempts a minute, behind proxies in 10.0.0.0/8, with one API key. */
async function open(env: Readonly<Record<string, string>> = {}) {
  const clients = JSON.stringify([{ id: 'shop', hash: hashApiKey('key of the shop') }]);
  const config = parseConfig({
    env: { RATE_LIMIT_PER_MINUTE: '2', TRUSTED_PROXIES: '10.0.0.0/8', CLIENTS_FILE: 'clients.json', ...env },
    readFile: () => clients,
  });
  const ignore = () => {};
  return openAdmission({
    workers: 1,
    config,
    outage: { began: ignore, ended: ignore },
    signingKeys: { lost: ignore, back: ignore, replaced: ignore },
    now: () => 1_000_000,
  });
}

const from = (address: string, forwardedFor?: string) =>
  toSender(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }, address);

/** Codes of three attempts by these senders, in turn. */
async function attempt(
  addresses: Awaited<ReturnType<typeof open>>['addresses'],
  ...senders: ReturnType<typeof from>[]
) {
  const codes: unknown[] = [];
  for (const sender of senders) codes.push((await addresses.admit(sender)).error?.extensions.code ?? null);
  return codes;
}

test('attempts of one network are counted together, and no others with them', async () => {
  const { addresses } = await open();
  const one = ['2001:db8:0:1::1', '2001:db8:0:1::2', '2001:db8:0:1::3'].map((each) => from(each));
  expect(await attempt(addresses, ...one)).toEqual([null, null, 'RATE_LIMITED']);
  expect(await attempt(addresses, from('2001:db8:0:2::1'), from('203.0.113.9'))).toEqual([null, null]);
});

test('the rest of the limit is reported', async () => {
  const { addresses } = await open();
  const { error, standing } = await addresses.admit(from('203.0.113.9'));
  expect([error, standing]).toMatchObject([null, { limit: 2, remaining: 1 }]);
});

test('the address that a trusted proxy reports is counted, not the proxy’s', async () => {
  const { addresses } = await open();
  const proxied = (client: string) => from('10.0.0.1', client);
  expect([addresses.networkOf(proxied('203.0.113.1')), addresses.networkOf(from('192.0.2.1', '203.0.113.1'))]).toEqual([
    '203.0.113.1',
    '192.0.2.1',
  ]);
  const clients = ['203.0.113.1', '203.0.113.1', '203.0.113.1', '203.0.113.2'].map(proxied);
  expect(await attempt(addresses, ...clients)).toEqual([null, null, 'RATE_LIMITED', null]);
});

test('attempts without credentials and with invalid ones use the same limit, those of a client its own', async () => {
  const { addresses, gate } = await open();
  await addresses.admit(from('203.0.113.9'));
  const admit = async (apiKey: string) => (await gate.admit(toSender({ 'x-api-key': apiKey }, '203.0.113.9'))).kind;
  expect([await admit('another key'), await admit('key of the shop')]).toEqual(['refused', 'admitted']);
  expect(await attempt(addresses, from('203.0.113.9'))).toEqual(['RATE_LIMITED']);
});

test('closed connections, which have no address any more, do not use up a limit', async () => {
  const { addresses } = await open();
  const closed = toSender({}, undefined);
  expect(addresses.networkOf(closed)).toBeNull();
  expect(await attempt(addresses, closed, closed, closed)).toEqual([null, null, null]);
});

test('a gateway without a limit counts nothing', async () => {
  const { addresses } = await open({ RATE_LIMIT_PER_MINUTE: '0' });
  expect(await addresses.admit(from('203.0.113.9'))).toEqual({ error: null, standing: null });
});
