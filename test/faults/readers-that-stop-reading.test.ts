import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../src/devnet/start-devnet.ts';
import { overWebSocket } from '../support/live-clients.ts';
import { openWebSocket } from '../support/open-websocket.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

let devnet: Devnet;
let gateway: TestGateway;

beforeAll(async () => {
  devnet = await startDevnet({
    sponsorToken: 'unused',
    checkpointIntervalMs: 0,
    activityEveryCheckpoints: 1,
    genesis: { checkpoints: 10 },
  });
  gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
    LEDGER_RPC_URL: devnet.rpcUrl,
    LIVE_POLL_MIN_MS: '10',
    LIVE_POLL_MAX_MS: '40',
    LIVE_REPLAY_BYTES: '262144',
  });
});
afterAll(async () => {
  await gateway?.close();
  await devnet?.close();
});

/** Each event many times over: so large that what the system keeps for a connection is full soon. */
const copies = Array.from({ length: 240 }, (_, index) => `c${index}: parsedJson`).join(' ');
const large = `subscription { liveEvents { __typename ... on LiveEventItem { event { id ${copies} } } ... on LiveMissed { count resumeAfter } } }`;
const small =
  'subscription ($after: String) { liveEvents(after: $after) { ... on LiveEventItem { cursor event { id } } } }';

/** A stream whose reader reads until it is told to stop, and from then on when it is told to again. */
interface StoppedReader {
  /** What has come so far. */
  text: () => string;
  stop(): void;
  goOn(): void;
  leave(): void;
}

function overEventStream(): Promise<StoppedReader> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const asked = request(`${gateway.url}/graphql`, { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', () => {});
      resolve({
        text: () => text,
        stop: () => response.pause(),
        goOn: () => response.resume(),
        leave: () => asked.destroy(),
      });
    });
    asked.on('error', reject);
    asked.end(JSON.stringify({ query: large }));
  });
}

async function overSocket(): Promise<StoppedReader> {
  const { socket, messages, send } = await openWebSocket(`${gateway.url.replace('http', 'ws')}/graphql`);
  send({ type: 'connection_init' });
  await until(() => messages.length > 0, 'the acknowledgement');
  send({ id: '1', type: 'subscribe', payload: { query: large } });
  return {
    text: () => JSON.stringify(messages),
    stop: () => socket.pause(),
    goOn: () => socket.resume(),
    leave: () => socket.terminate(),
  };
}

it.each([
  ['an event stream', overEventStream],
  ['a WebSocket', overSocket],
])('who stops reading %s is told what it missed, and has held up nobody', async (_, open) => {
  const reader = await open();
  const quick = overWebSocket(`${gateway.url}/graphql`, small);
  await until(() => {
    devnet.tick();
    return quick.ids.length > 0 && reader.text().includes('LiveEventItem');
  }, 'an event for both');
  reader.stop();
  const before = quick.ids.length;
  // Others get everything at once all the while.
  await until(() => {
    for (let ticks = 0; ticks < 2; ticks += 1) devnet.tick();
    return quick.ids.length > before + 600;
  }, 'events');
  const all = devnet.ledger.events.map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`);
  await until(() => quick.ids.at(-1) === all.at(-1), 'the last event');
  expect(quick.ids).toEqual(all.slice(all.indexOf(quick.ids[0] ?? '')));
  reader.goOn();
  await until(() => /"count\\?":[1-9]/.test(reader.text()), 'what it missed');
  reader.leave();
  await quick.leave();
});
