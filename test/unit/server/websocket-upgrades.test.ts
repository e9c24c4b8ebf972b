import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createSocketQuota } from '../../../src/callers/socket-quota.ts';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import type { Exchange } from '../../../src/server/exchange.ts';
import { createSiteChecks } from '../../../src/server/site-checks.ts';
import { createWebSocketUpgrades, type WebSocketUpgradesOptions } from '../../../src/server/websocket-upgrades.ts';
import { connectForTest } from '../../support/connect-for-test.ts';
import { until } from '../../support/until.ts';

const fault = new Error('with the address of a database in it');
const overLimit = { error: gatewayError('RATE_LIMITED', 'Too many.'), standing: null };
const fail = () => {
  throw fault;
};

const toSite = (corsOrigins: '*' | readonly string[]) =>
  createSiteChecks({ allowedHosts: null, host: '0.0.0.0', corsOrigins });

/** Upgrades with a quota of one WebSocket. */
function create(replaced: Partial<WebSocketUpgradesOptions> = {}) {
  const events: unknown[] = [];
  const quota = createSocketQuota({ max: 1, maxPerAddress: 1 });
  const upgrades = createWebSocketUpgrades({
    connections: { of: () => undefined },
    sockets: { draining: false, accept: () => {} },
    addresses: {
      networkOf: () => 'network',

      admit: async () => ({ error: null, standing: null }),
    },
    socketQuota: quota,
    graphqlPath: '/graphql',
    site: toSite('*'),
    checkVersion: () => null,
    entrance: {
      refuse: (_, refusal) => events.push('error' in refusal ? refusal.error.extensions.code : refusal.status),
    },
    stamps: () => [],
    telemetry: {
      upgradeAnswered: ({ status, codes = [] }) => events.push(status, ...codes),
      errorMasked: (error) => events.push(error),
    },
    now: () => 0,
    ...replaced,
  });
  return { upgrades, quota, events };
}

/** Takes over the connection of one WebSocket. */
function open(
  admit: WebSocketUpgradesOptions['addresses']['admit'],
  accept: WebSocketUpgradesOptions['sockets']['accept'] = () => {},
  connections?: WebSocketUpgradesOptions['connections'],
) {
  const { upgrades, quota, events } = create({
    sockets: { draining: false, accept },
    addresses: { networkOf: () => 'network', admit },
    ...(connections && { connections }),
  });
  const socket = new PassThrough();
  upgrades.open({ headers: {}, url: '/graphql', socket } as unknown as IncomingMessage, socket, Buffer.alloc(0));
  return { events, socket, isFree: () => quota.refusalFor('network') === null };
}

it.each([
  ['is over its limit', async () => overLimit, () => {}, [429, 'RATE_LIMITED']],
  ['cannot be counted', async () => fail(), () => {}, [fault]],
  ['is admitted, but not accepted', async () => ({ error: null, standing: null }), fail, [fault]],
])('the connection of an address that %s is closed, and leaves the quota', async (_, admit, accept, expected) => {
  const { events, socket, isFree } = open(admit, accept);
  expect(isFree()).toBe(false);
  await until(isFree, 'the connection is closed');
  expect([socket.destroyed, events]).toEqual([true, expected]);
});

it('a connection that breaks while its address is counted leaves the quota', async () => {
  const { events, socket, isFree } = open(() => new Promise(() => {}));
  expect(isFree()).toBe(false);
  socket.destroy(new Error('reset'));
  await until(isFree, 'the connection is closed');
  expect([socket.destroyed, events]).toEqual([true, []]);
});

it('a WebSocket keeps its place in the quota until it is closed, and its handshake reports the rest of the limit', async () => {
  const standing = { limit: 5, remaining: 4, resetsAtMs: 60_000 };
  const headers: unknown[] = [];
  const { socket, isFree } = open(
    async () => ({ error: null, standing }),
    (_req, _socket, _head, upgrade) => void headers.push(upgrade.headers),
  );
  await until(() => headers.length > 0, 'the handshake');
  expect([isFree(), headers]).toEqual([
    false,
    [{ ratelimit: '"default";r=4;t=60', 'ratelimit-policy': '"default";q=5;w=60' }],
  ]);
  socket.destroy();
  await until(isFree, 'the connection is closed');
});

it('a connection that becomes a WebSocket no longer counts as one without a request', () => {
  const connections = connectForTest();
  const socket = new Socket();
  connections.opened(socket);
  const of = () => connections.of(socket);
  expect(of()?.isUnserved).toBe(true);
  open(() => new Promise(() => {}), undefined, { of }).socket.destroy();
  expect([of()?.isUnserved, of()?.isFree]).toEqual([false, false]);
  socket.destroy();
});

const handshake = { upgrade: 'WebSocket' };
const toRequest = (about: object = {}) =>
  ({
    method: 'GET',
    url: '/graphql',
    httpVersion: '1.1',
    socket: {},
    headers: handshake,
    rawHeaders: ['Host', 'a'],
    ...about,
  }) as never;
const free = { of: () => ({ isFree: true }) as never };

it.each<[string, Partial<WebSocketUpgradesOptions>, object, unknown]>([
  ['another path', {}, { url: '/other' }, 404],
  ['a body', {}, { headers: { ...handshake, 'content-length': '1' } }, 400],
  ['a body without a length', {}, { headers: { ...handshake, 'transfer-encoding': 'chunked' } }, 400],
  [
    'an origin that is not listed',
    { site: toSite(['https://dapp.example']) },
    { headers: { ...handshake, origin: 'https://evil.example' } },
    403,
  ],
  ['another version', { checkVersion: () => ({ status: 406, code: 'BAD_REQUEST', message: '' }) }, {}, 406],
  ['a connection that awaits a response', { connections: { of: () => ({ isFree: false }) as never } }, {}, 400],
  ['a connection that is closed', { connections: { of: () => undefined } }, {}, 400],
  ['a gateway that stops', { sockets: { draining: true, accept() {} } }, {}, 'UNAVAILABLE'],
  ['a full quota', { socketQuota: createSocketQuota({ max: 0, maxPerAddress: 1 }) }, {}, 'UNAVAILABLE'],
])('an upgrade with %s is not taken, and is rejected as a request', (_, options, about, expected) => {
  const { upgrades, events } = create({ connections: free, ...options });
  const req = toRequest(about);
  expect(upgrades.takes(req)).toBe(false);
  expect([upgrades.refuse({ req } as unknown as Exchange), events]).toEqual([true, [expected]]);
});

it.each([
  ['of any origin where all are allowed', {}, { origin: 'https://any.example' }],
  ['of a listed origin', { site: toSite(['https://dapp.example']) }, { origin: 'https://DAPP.example' }],
  ['without an origin', { site: toSite(['https://dapp.example']) }, {}],
  ['without a body', {}, { 'content-length': '0' }],
])('an upgrade %s is taken', (_, options, headers) => {
  const { upgrades } = create({ connections: free, ...options });
  expect(upgrades.takes(toRequest({ headers: { ...handshake, ...headers } }))).toBe(true);
});

it.each([
  ['offers another protocol', { headers: { ...handshake, upgrade: 'h2c' } }],
  ['is no GET', { method: 'POST' }],
])('a request that %s is served as one without an upgrade', (_, about) => {
  const { upgrades, events } = create({ connections: free });
  const req = toRequest(about);
  expect([upgrades.takes(req), upgrades.refuse({ req } as unknown as Exchange), events]).toEqual([false, false, []]);
});

it('an upgrade without a Host header is not taken', () => {
  const { upgrades } = create({ connections: free });
  expect(upgrades.takes(toRequest({ rawHeaders: [] }))).toBe(false);
});
