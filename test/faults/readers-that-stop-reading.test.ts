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

/** Each event repeated, so large that the kernel's buffer for a connection is soon full. */
const copies = Array.from({ length: 240 }, (_, index) => `c${index}: parsedJson`).join(' ');
const large = `subscription { liveEvents { __typename ... on LiveEventItem { event { id ${copies} } } ... on LiveMissed { count resumeAfter } } }`;
const small =
  'subscription ($after: String) { liveEvents(after: $after) { ... on LiveEventItem { cursor event { id } } } }';

/** Searches everything received for results, and keeps none of it, because it is megabytes. */
class Watch {
  /** The last event received. */
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

/** A stream whose client reads until it is paused, and again when it is resumed. */
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
])('a client that stops reading %s receives what it missed, and delays no other client', async (_, open) => {
  const { devnet, address } = network;
  const reader = await open();
  const quick = overWebSocket(address, small);
  await until(() => {
    devnet.tick();
    return quick.ids.length > 0 && reader.seen.hasItem;
  }, 'an event for both');
  // The kernel's buffers vary, so the client pauses until enough was held back.
  while (!reader.seen.hasMissed) {
    reader.stop();
    const before = quick.ids.length;
    // Other clients receive everything immediately meanwhile.
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
  const page = await (await fetch(new URL('/metrics', address))).text();
  expect(page).toMatch(/^ledger_gateway_live_missed_total [1-9]/m);
  expect(page).toMatch(/^ledger_gateway_live_replay_bytes [1-9]/m);
  expect(page).toMatch(/^ledger_gateway_live_lag_seconds_count [1-9]/m);
  reader.leave();
  await quick.leave();
});
