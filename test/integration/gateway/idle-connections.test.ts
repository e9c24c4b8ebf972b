import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PushingLedger, startPushingLedger } from '../../support/pushing-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

let ledger: PushingLedger;
let gateway: TestGateway;

beforeAll(async () => {
  ledger = await startPushingLedger();
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
});
afterAll(async () => {
  await gateway?.close();
  await ledger?.[Symbol.asyncDispose]();
});

/** How long proxies keep an idle connection by default, in milliseconds. */
const proxiesMs = 60_000;

it('are closed eventually, after any response, but not before proxies close them', async () => {
  const port = Number(new URL(gateway.url).port);
  const bounds: [socket: Socket, boundMs: number | undefined][] = [];
  const boundsAtEnd: (number | undefined)[] = [];
  const boundsWhenBegun: (number | undefined)[] = [];
  // Node reports a request before it is served, when the idle timeout still applies.
  const look = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    if (socket.localPort === port) bounds.push([socket, socket.timeout]);
  };
  const lookAtEnd = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    if (socket.localPort === port) boundsAtEnd.push(socket.timeout);
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (accept: string, query: string, method = 'POST') => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { accept, 'content-type': 'application/json' };
      const path = `/graphql${method === 'GET' ? `?query=${query}` : ''}`;
      const asked = request({ port, path, method, headers, agent }, resolve).on('error', reject);
      asked.end(method === 'POST' ? JSON.stringify({ query }) : undefined);
    });
    boundsWhenBegun.push(bounds.at(-1)?.[0].timeout);
    return text(response);
  };

  subscribe('http.server.request.start', look);
  subscribe('http.server.response.finish', lookAtEnd);
  try {
    expect(await ask('application/json', '{__typename}')).toContain('Query');
    expect(await ask('text/event-stream', '{__typename}')).toContain('Query');
    expect(await ask('application/json', '{__typename}', 'GET')).toContain('Query');
    const streamed = ask('text/event-stream', 'subscription { events { __typename } }');
    await until(() => ledger.following > 0 && boundsWhenBegun.length === 4, 'a follower');
    ledger.end();
    expect(await streamed).toContain('event: complete');
    await ask('text/html', '{__typename}', 'GET');
    await ask('application/json', '{__typename}');
  } finally {
    unsubscribe('http.server.request.start', look);
    unsubscribe('http.server.response.finish', lookAtEnd);
    agent.destroy();
  }
  expect(new Set(bounds.map(([socket]) => socket)).size).toBe(1);
  expect(bounds.map(([, boundMs]) => boundMs)).toEqual(Array.from({ length: 6 }, () => bounds[0]?.[1]));
  expect(bounds[0]?.[1]).toBeGreaterThan(proxiesMs);
  // A response from Yoga has the timeout of unread ones until it is sent. The lane sends short ones whole; a stream has the idle
  // timeout.
  const [inLane, fromYoga, asked] = boundsAtEnd;
  expect([inLane, fromYoga, asked, boundsWhenBegun[3]]).toEqual([76_000, 40_000, 76_000, 76_000]);
});
