import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { overWebSocket } from '../support/live-clients.ts';
import { eventIds, type LiveNetwork, startLiveNetwork } from '../support/live-network.ts';
import { until } from '../support/until.ts';

let network: LiveNetwork;

beforeAll(async () => {
  network = await startLiveNetwork({ LIVE_REPLAY_BYTES: '262144' });
});
afterAll(() => network?.[Symbol.asyncDispose]());

/** Each event many times over: so large that what the system keeps for a connection is full soon. */
const copies = Array.from({ length: 240 }, (_, index) => `c${index}: parsedJson`).join(' ');
const large = `subscription { liveEvents { __typename ... on LiveEventItem { event { id ${copies} } } ... on LiveMissed { count resumeAfter } } }`;
const small =
  'subscription ($after: String) { liveEvents(after: $after) { ... on LiveEventItem { cursor event { id } } } }';

/** Looks for what a stream may say in all that comes, and keeps none of it: it is megabytes. */
class Watch {
  /** The event that is said last. */
  awaited = '';
  hasItem = false;
  hasMissed = false;
  hasAwaited = false;
  #tail = '';

  take(chunk: string): void {
    const text = this.#tail + chunk;
    this.hasItem ||= text.includes('LiveEventItem');
    this.hasMissed ||= /"count":[1-9]/.test(text);
    this.hasAwaited ||= this.awaited !== '' && text.includes(this.awaited);
    this.#tail = text.slice(-200);
  }
}

/** A stream whose reader reads until it is told to stop, and from then on when it is told to again. */
interface StoppedReader {
  readonly seen: Watch;
  stop(): void;
  goOn(): void;
  leave(): void;
}

function overEventStream(): Promise<StoppedReader> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const asked = request(network.address, { method: 'POST', headers }, (response) => {
      const seen = new Watch();
      response.setEncoding('utf8').on('data', (chunk: string) => seen.take(chunk));
      response.on('error', () => {});
      resolve({
        seen,
        stop: () => response.pause(),
        goOn: () => response.resume(),
        leave: () => asked.destroy(),
      });
    });
    asked.on('error', reject);
    asked.end(JSON.stringify({ query: large }));
  });
}

function overSocket(): Promise<StoppedReader> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(network.address.replace('http', 'ws'), 'graphql-transport-ws');
    const seen = new Watch();
    socket.on('error', reject);
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.once('message', () => {
      socket.on('message', (data) => seen.take(String(data)));
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: large } }));
      resolve({
        seen,
        stop: () => socket.pause(),
        goOn: () => socket.resume(),
        leave: () => socket.terminate(),
      });
    });
  });
}

it.each([
  ['an event stream', overEventStream],
  ['a WebSocket', overSocket],
])('who stops reading %s is told what it missed, and has held up nobody', async (_, open) => {
  const { devnet, address } = network;
  const reader = await open();
  const quick = overWebSocket(address, small);
  await until(() => {
    devnet.tick();
    return quick.ids.length > 0 && reader.seen.hasItem;
  }, 'an event for both');
  // How much the system keeps for a connection that nobody reads differs: it stops again until it was too much.
  while (!reader.seen.hasMissed) {
    reader.stop();
    const before = quick.ids.length;
    // Others get everything at once all the while.
    await until(() => {
      for (let ticks = 0; ticks < 2; ticks += 1) devnet.tick();
      return quick.ids.length > before + 600;
    }, 'events');
    const all = eventIds(devnet);
    const last = all.at(-1) ?? '';
    await until(() => quick.ids.at(-1) === last, 'the last event');
    expect(quick.ids).toEqual(all.slice(all.indexOf(quick.ids[0] ?? '')));
    reader.seen.awaited = last;
    reader.seen.hasAwaited = false;
    reader.goOn();
    await until(() => reader.seen.hasMissed || reader.seen.hasAwaited, 'what it missed, or else everything');
  }
  reader.leave();
  await quick.leave();
});
