import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { createGraphqlSubscriptions } from '../../../src/upstream/sockets/graphql-event-streams.ts';
import type { PushSink } from '../../../src/upstream/sockets/graphql-socket.ts';
import { createRpcSocket, type RpcSink } from '../../../src/upstream/sockets/rpc-socket.ts';
import type { SharedSocketOptions } from '../../../src/upstream/sockets/shared-connection.ts';
import { until } from '../../support/until.ts';

/** What an upstream does with a subscription. */
type Deed = 'accept' | 'push' | 'refuse' | 'end' | 'garble' | 'exceed' | 'cut';

/** An upstream that acts when the test says so. */
interface Peer extends AsyncDisposable {
  readonly url: string;
  /** Names of the subscriptions that arrived, and of those that were ended from here. */
  readonly asked: string[];
  readonly left: string[];
  /** Open connections. */
  connections(): number;
  act(name: string, deed: Deed): void;
}

interface Subscriptions {
  subscribe(name: string, sink: RpcSink & PushSink): () => void;
  close(): void;
}

const long = 'x'.repeat(2_000);

function startSocketPeer(toText: (deed: Deed, id: unknown) => object | string): () => Promise<Peer> {
  return async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: ([first = '']) => first });
    await once(server, 'listening');
    const subscribed = new Map<string, { readonly socket: WebSocket; readonly id: unknown }>();
    const peer = { asked: [] as string[], left: [] as string[] };
    server.on('connection', (socket) =>
      socket.on('message', (data) => {
        const { id, type, method, params, payload } = JSON.parse(String(data));
        if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
        if (type === 'subscribe' || method === 'subscribe') {
          const name = payload?.query ?? params[0];
          subscribed.set(name, { socket, id });
          peer.asked.push(name);
        }
        if (type !== 'complete' && method !== 'unsubscribe') return;
        const ended = method ? Number(String(params[0]).slice(2)) : id;
        for (const [name, each] of subscribed) if (each.id === ended) peer.left.push(name);
      }),
    );
    return Object.assign(peer, {
      url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
      connections: () => server.clients.size,
      act(name: string, deed: Deed) {
        const { socket, id } = subscribed.get(name) ?? {};
        if (deed === 'cut') socket?.terminate();
        else if (deed === 'garble') socket?.send('{');
        else socket?.send(JSON.stringify(toText(deed, id)));
      },
      async [Symbol.asyncDispose]() {
        for (const client of server.clients) client.terminate();
        await new Promise((resolve) => server.close(resolve));
      },
    });
  };
}

const startRpc = startSocketPeer((deed, id) => {
  if (deed === 'accept') return { id, result: `s-${id}` };
  if (deed === 'refuse') return { id, error: { message: 'no' } };
  return { params: { subscription: `s-${id}`, result: deed === 'exceed' ? long : '' } };
});

const startGraphql = startSocketPeer((deed, id) => {
  if (deed === 'refuse') return { type: 'error', id, payload: [{ message: 'no' }] };
  if (deed === 'end') return { type: 'complete', id };
  if (deed === 'accept') return { type: 'ping' };
  return { type: 'next', id, payload: { data: { text: deed === 'exceed' ? long : '' } } };
});

async function startEventStreams(): Promise<Peer> {
  const responses = new Map<string, ServerResponse>();
  const peer = { asked: [] as string[], left: [] as string[] };
  const server = createServer((req, res) => {
    req.once('data', (body) => {
      const { query } = JSON.parse(String(body));
      responses.set(query, res);
      peer.asked.push(query);
      res.on('close', () => peer.left.push(query));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(peer, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => [...responses.values()].filter(({ destroyed }) => !destroyed).length,
    act(name: string, deed: Deed) {
      const res = responses.get(name);
      if (deed === 'cut') res?.destroy();
      else if (deed === 'refuse')
        res?.writeHead(200, { 'content-type': 'application/json' }).end('{"errors":[{"message":"no"}]}');
      else if (deed === 'accept') res?.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      else if (deed === 'end') res?.write('event: complete\n\n');
      else if (deed === 'garble') res?.write('event: next\ndata: {\n\n');
      else res?.write(`event: next\ndata: {"data":{"text":"${deed === 'exceed' ? long : ''}"}}\n\n`);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

function openRpc(options: SharedSocketOptions): Subscriptions {
  const socket = createRpcSocket({ ...options, answerMs: 1_000_003 });
  return {
    subscribe: (name, sink) =>
      socket.subscribe({ subscribe: 'subscribe', unsubscribe: 'unsubscribe', params: [name] }, sink),
    close: () => socket.close(),
  };
}

function openGraphql(options: SharedSocketOptions): Subscriptions {
  const socket = createGraphqlSubscriptions(options);
  return { subscribe: (query, sink) => socket.subscribe({ query }, sink), close: () => socket.close() };
}

/** Records the calls of a sink. */
function record() {
  const calls: string[] = [];
  const sink: RpcSink & PushSink = {
    up: () => void calls.push('up'),
    sent: () => void calls.push('up'),
    news: () => void calls.push('news'),
    next: () => void calls.push('news'),
    ended: () => void calls.push('ended'),
    refused: () => void calls.push('refused'),
    lost: ({ failure }) => void calls.push(failure),
  };
  return { calls, sink };
}

describe.each([
  ['JSON-RPC over WebSocket', startRpc, openRpc],
  ['GraphQL over WebSocket', startGraphql, openGraphql],
  ['GraphQL as event streams', startEventStreams, openGraphql],
] as const)('subscriptions by %s', (transport, start, open) => {
  let peer: Peer;
  let subscriptions: Subscriptions;
  const bounds = { connectMs: 1_000_001, beatMs: 1_000_002, maxMessageBytes: 1_000 };
  const graceMs = 1_000_004;
  /** The gateway's running timers, by their lengths: no other timer has these. */
  const running = new Map<unknown, number>();
  const callbacks = new Map<unknown, () => void>();
  beforeEach(async () => {
    const { setTimeout: set, clearTimeout: clear } = globalThis;
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms = 0) => {
      const timer = set(run, ms);
      if (ms >= 1_000_000) {
        running.set(timer, ms);
        callbacks.set(timer, run);
      }
      return timer;
    }) as typeof setTimeout);
    vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
      running.delete(timer);
      clear(timer);
    });
    peer = await start();
    subscriptions = open({ urls: [peer.url], graceMs, maxSubscriptions: 2, socket: bounds });
  });
  afterEach(async () => {
    subscriptions.close();
    await peer[Symbol.asyncDispose]();
    vi.restoreAllMocks();
    // Closed subscriptions leave no timer, whatever happened to them.
    expect([...running.values()]).toEqual([]);
  });

  async function subscribe(name: string, { isAccepted = true } = {}) {
    const recorded = record();
    const leave = subscriptions.subscribe(name, recorded.sink);
    await until(() => peer.asked.includes(name), `the subscription ${name}`);
    if (isAccepted) {
      peer.act(name, 'accept');
      await until(() => recorded.calls.includes('up'), `an answer to ${name}`);
    }
    return { ...recorded, leave };
  }
  const news = async ({ calls }: { calls: string[] }, name: string) => {
    const before = calls.length;
    peer.act(name, 'push');
    await until(() => calls.length > before, `news of ${name}`);
  };

  it('that are left are ended at the upstream and get nothing more; others go on', async () => {
    const [left, stays] = [await subscribe('left'), await subscribe('stays')];
    await news(left, 'left');
    // Nothing is awaited any more but a sign of life.
    expect([...running.values()].filter((ms) => ms % bounds.beatMs !== 0)).toEqual([]);
    left.leave();
    left.leave();
    peer.act('left', 'push');
    await news(stays, 'stays');
    await until(() => peer.left.includes('left'), 'the end at the upstream');
    expect([left.calls, stays.calls, peer.left]).toEqual([['up', 'news'], ['up', 'news'], ['left']]);
  });

  it('that are left before the upstream answers are not heard of again', async () => {
    const early = await subscribe('early', { isAccepted: false });
    const unsent = record();
    early.leave();
    subscriptions.subscribe('unsent', unsent.sink)();
    const stays = await subscribe('stays');
    peer.act('early', 'accept');
    await news(stays, 'stays');
    await until(() => peer.left.includes('early'), 'the end at the upstream');
    // GraphQL over WebSocket has no answer: a subscription is up when it is sent.
    expect(early.calls.filter((call) => call !== 'up')).toEqual([]);
    expect(unsent.calls).toEqual([]);
  });

  const isRpc = transport.startsWith('JSON-RPC');
  const ends: [Deed, string][] = [
    ['refuse', 'refused'],
    ['garble', 'garbled'],
    ['exceed', 'too-large'],
    ['cut', 'interrupted'],
    ...(isRpc ? [] : [['end', 'ended'] as [Deed, string]]),
  ];
  it.each(ends)('end once if the upstream has this to say: %s', async (deed, end) => {
    const { calls, leave } = await subscribe('a', { isAccepted: deed !== 'refuse' });
    peer.act('a', deed);
    await until(
      () => calls.includes(end),
      () => `${end} in ${calls}`,
    );
    leave();
    if (['garbled', 'too-large', 'interrupted'].includes(end)) expect([...running.values()]).toEqual([]);
    peer.act('a', 'push');
    // The next one, on the same connection or on another.
    const next = await subscribe('next');
    await news(next, 'next');
    expect(calls.filter((call) => call !== 'up')).toEqual([end]);
    expect(next.calls).toEqual(['up', 'news']);
  });

  it.each(['are closed', 'break'])('that were left leave nothing when their connections %s', async (end) => {
    const { calls, leave } = await subscribe('a');
    leave();
    if (end === 'break') peer.act('a', 'cut');
    else subscriptions.close();
    await until(
      () => running.size === 0,
      () => `no timer: ${[...running.values()]}`,
    );
    expect(calls).toEqual(['up']);
    await news(await subscribe('b'), 'b');
  });

  it('share a connection until a moment after the last one was left', async () => {
    subscriptions.close();
    subscriptions = open({ urls: [peer.url], graceMs: 1, socket: bounds });
    const { calls, leave } = await subscribe('a');
    leave();
    await until(() => peer.connections() === 0, 'the end of the connection');
    await news(await subscribe('b'), 'b');
    expect(calls).toEqual(['up']);
  });

  it('keep a connection that had none for a moment', async () => {
    (await subscribe('a')).leave();
    const { calls } = await subscribe('b');
    for (const [timer, ms] of running) if (ms === graceMs) callbacks.get(timer)?.();
    peer.act('b', 'push');
    await until(() => calls.includes('news'), 'news on the same connection');
    expect(peer.connections()).toBe(1);
  });

  it('that are closed are lost', async () => {
    const both = [await subscribe('a'), await subscribe('b', { isAccepted: false })];
    subscriptions.close();
    subscriptions.close();
    await until(() => both.every(({ calls }) => calls.includes('interrupted')), 'the loss');
    expect(both.map(({ calls }) => calls.filter((call) => call !== 'up'))).toEqual([['interrupted'], ['interrupted']]);
    await news(await subscribe('next'), 'next');
  });

  it('are limited, and those that ended make room', async () => {
    const first = await subscribe('first');
    await subscribe('second');
    const third = record();
    subscriptions.subscribe('third', third.sink);
    await until(() => third.calls.length > 0, 'the refusal');
    expect(third.calls).toEqual(['refused']);
    first.leave();
    await news(await subscribe('fourth'), 'fourth');
  });
});
