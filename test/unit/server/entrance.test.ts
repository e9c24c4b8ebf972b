import { expect, it } from 'vitest';
import type { Sender } from '../../../src/callers/identify-caller.ts';
import { Secret } from '../../../src/config/secret.ts';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import { Exchange } from '../../../src/server/exchange.ts';
import { createRequestGate, type RequestGateOptions } from '../../../src/server/serve-graphql.ts';
import { toTestCaller } from '../../support/test-caller.ts';
import { createTestServer } from '../../support/test-operation.ts';

const held = { keep() {}, release() {} };

const standing = { limit: 10, remaining: 9, resetsAtMs: 0 };

interface Given extends Partial<Pick<RequestGateOptions, 'admitCaller' | 'turns'>> {
  readonly isRefused?: boolean;
  readonly hasRoom?: boolean;
  readonly by?: 'enter' | 'enterAddress';
  readonly serve?: () => void;
}

/** An entrance whose turns come when the test says so. */
function open({ isRefused = false, hasRoom = true, by = 'enter', serve, ...given }: Given = {}) {
  const turns: { key: string; work: () => unknown }[] = [];
  const taken: unknown[] = [];
  const senders: Sender[] = [];
  const entrance = createRequestGate({
    async admitCaller(sender) {
      senders.push(sender);
      return isRefused
        ? { kind: 'refused', error: gatewayError('RATE_LIMITED', 'Too many.'), standing }
        : { kind: 'admitted', caller: toTestCaller(), standing };
    },
    addresses: {
      admit: () => Promise.resolve({ error: null, standing: null }),
      admitCheap: () => Promise.resolve({ error: null, standing: null }),
    },
    turns: {
      run: (key: string, _: unknown, work: () => unknown) =>
        new Promise((resolve) => void turns.push({ key, work: () => resolve(work()) })) as never,
    },
    bytesInFlight: {
      take(...of) {
        taken.push(of);
        return hasRoom ? held : null;
      },
    },
    ...given,
  });
  const server = createTestServer();
  const sender = { ...server.sender, authorization: new Secret('Bearer mine'), apiKey: new Secret('key') };
  const refusals: unknown[] = [];
  const standings: unknown[] = [];
  const exchange = Object.assign(server, {
    sender,
    body: Buffer.from('{}'),
    requestBytes: 2,
    address: '203.0.113.9',
    refuseWith: ({ extensions }: { extensions: { code: unknown } }) => void refusals.push(extensions.code),
    onStanding: (each: unknown) => void standings.push(each),
    fail: (error: unknown) => void refusals.push(error),
    failWith: Exchange.prototype.failWith,
  }) as unknown as Exchange & { leave(): void };
  let served = 0;
  entrance[by](exchange, () => {
    served += 1;
    serve?.();
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { exchange, turns, taken, senders, standings, refusals, served: () => served, settle };
}

it('a request is served in a turn of its caller, and its body counts against its address', async () => {
  const { exchange, turns, taken, settle, served, refusals } = open();
  await settle();
  expect([turns.map(({ key }) => key), served()]).toEqual([[toTestCaller().rate.key], 0]);
  turns[0]?.work();
  expect([served(), refusals]).toEqual([1, []]);
  expect(taken).toEqual([['203.0.113.9', 2]]);
  expect(exchange.held).toBe(held);
});

it.each([
  ['enter', ['Bearer mine', 'key']],
  ['enterAddress', [undefined, undefined]],
] as const)('%s counts the sender with these credentials: %j', async (by, credentials) => {
  const { senders, standings, settle } = open({ by });
  await settle();
  expect(standings).toEqual([standing]);
  expect(senders.map(({ authorization, apiKey }) => [authorization?.reveal(), apiKey?.reveal()])).toEqual([
    credentials,
  ]);
});

it('nothing is begun for a client that left while it waited for its turn', async () => {
  const { exchange, turns, settle, served, refusals } = open();
  await settle();
  exchange.leave();
  turns[0]?.work();
  expect([served(), refusals]).toEqual([0, []]);
});

it.each([
  ['a caller over its limit', { isRefused: true }, 'RATE_LIMITED', 'address:203.0.113.9'],
  ['a body for which there is no room', { hasRoom: false }, 'UNAVAILABLE', toTestCaller().rate.key],
])('%s is rejected in its turn, after its body was dropped', async (_, given, code, key) => {
  const { exchange, turns, settle, served, refusals } = open(given);
  await settle();
  expect([exchange.body, refusals]).toEqual([null, []]);
  expect(turns).toMatchObject([{ key }]);
  turns[0]?.work();
  expect([served(), refusals]).toEqual([0, [code]]);
});

const fault = new Error('a fault');
const fails = () => {
  throw fault;
};

it.each<[string, Given]>([
  ['counting the caller throws', { admitCaller: fails }],
  ['counting the caller fails', { admitCaller: () => Promise.reject(fault) }],
  ['serving it throws at once', { serve: fails, turns: { run: (_key, _client, work) => work() } }],
  [
    'serving it throws in a later turn',
    { serve: fails, turns: { run: (async (_: string, __: unknown, work: () => unknown) => work()) as never } },
  ],
  ['it finds no turn', { turns: { run: fails } }],
])('a request fails once if %s', async (_, given) => {
  const { refusals, settle } = open(given);
  await settle();
  expect(refusals).toEqual([fault]);
});
