import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createSocketQuota } from '../../../src/callers/socket-quota.ts';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import { createWebSocketUpgrades, type WebSocketUpgradesOptions } from '../../../src/server/websocket-upgrades.ts';
import { until } from '../../support/until.ts';

const fault = new Error('with the address of a database in it');
const overLimit = { error: gatewayError('RATE_LIMITED', 'Too many.'), standing: null };
const fail = () => {
  throw fault;
};

/** Takes over the connection of one WebSocket, with a quota of one. */
function open(admit: WebSocketUpgradesOptions['addresses']['admit'], accept: () => void = () => {}) {
  const events: unknown[] = [];
  const quota = createSocketQuota({ max: 1, maxPerAddress: 1 });
  const upgrades = createWebSocketUpgrades({
    connections: { of: () => undefined },
    sockets: { draining: false, accept },
    addresses: { networkOf: () => 'network', admit },
    socketQuota: quota,
    graphqlPath: '/graphql',
    corsOrigins: '*',
    checkVersion: () => null,
    entrance: { refuse: () => {} },
    stamps: () => [],
    telemetry: {
      upgradeAnswered: ({ status }) => events.push(status),
      errorMasked: (error) => events.push(error),
    },
    now: Date.now,
  });
  const socket = new PassThrough();
  upgrades.open({ headers: {}, url: '/graphql', socket } as unknown as IncomingMessage, socket, Buffer.alloc(0));
  return { events, socket, isFree: () => quota.refusalFor('network') === null };
}

it.each([
  ['is over its limit', async () => overLimit, () => {}, [429]],
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
