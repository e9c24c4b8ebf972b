import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { hashApiKey, toApiKey } from '../../../src/config/client.ts';
import type { Devnet } from '../../../src/devnet/start-devnet.ts';
import { quickPolls, startTickedDevnet } from '../../support/live-network.ts';
import { type PushingLedger, startPushingLedger } from '../../support/pushing-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { createSigningKey, type SigningKey, startTokenIssuer, type TokenIssuer } from '../../support/token-issuer.ts';
import { until } from '../../support/until.ts';

const keyOf = (id: string, number: number) => toApiKey(id, new Uint8Array(32).fill(number)).reveal();
const [leaves, stays] = [keyOf('leaves', 1), keyOf('stays', 2)];
const entryOf = (id: string, key: string) => ({ id, hash: hashApiKey(key) });
const clients = [entryOf('leaves', leaves), entryOf('stays', stays)];

let devnet: Devnet;
let ledger: PushingLedger;
let key: SigningKey;
let issuer: TokenIssuer;
let folder = '';
let file = '';
let gateway: TestGateway;

beforeAll(async () => {
  devnet = await startTickedDevnet();
  ledger = await startPushingLedger();
  key = await createSigningKey('one');
  issuer = await startTokenIssuer(key);
  folder = await mkdtemp(join(tmpdir(), 'withdrawn-'));
  file = join(folder, 'clients.json');
  await writeFile(file, JSON.stringify(clients));
  const env = {
    LEDGER_GRAPHQL_URL: ledger.url,
    LEDGER_RPC_URL: devnet.rpcUrl,
    CLIENTS_FILE: file,
    JWT_JWKS_URL: issuer.url,
    JWT_ISSUER: 'https://issuer.example/',
    JWT_AUDIENCE: 'ledger',
    LIVE_SOURCE: 'poll',
    ...quickPolls,
  };
  gateway = await createTestGateway(env, { [file]: JSON.stringify(clients) });
  await until(async () => (await fetch(`${gateway.url}/health/ready`)).ok, 'a schema');
});
afterAll(async () => {
  await gateway?.close();
  await issuer?.[Symbol.asyncDispose]();
  await ledger?.[Symbol.asyncDispose]();
  await devnet?.close();
  await rm(folder, { recursive: true });
});

/** One stream, and its results. */
interface Stream {
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
  readonly results: any[];
  end: 'complete' | 'broken' | null;
  readonly leave: () => unknown;
}

function overWebSocket(credential: string, query: string): Stream {
  const client = createClient({
    url: `${gateway.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { 'x-api-key': credential },
  });
  const stream: Stream = { results: [], end: null, leave: () => client.dispose() };
  client.subscribe(
    { query },
    {
      next: (result) => stream.results.push(result),
      error: () => {
        stream.end = 'broken';
      },
      complete: () => {
        stream.end ??= 'complete';
      },
    },
  );
  return stream;
}

const asEvents = (accept: string) => (credential: string, query: string) => {
  const controller = new AbortController();
  const stream: Stream = { results: [], end: null, leave: () => controller.abort() };
  const read = async () => {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, 'x-api-key': credential },
      body: JSON.stringify({ query }),
      signal: controller.signal,
    });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('utf8');
      const lines = text.split(/\r?\n/);
      text = lines.pop() ?? '';
      for (const line of lines) {
        const [json] = /\{.*\}/.exec(line) ?? [];
        if (!json || json === '{}') continue;
        const result = JSON.parse(json);
        stream.results.push(result.payload ?? result);
      }
    }
    stream.end = 'complete';
  };
  read().catch(() => {
    stream.end ??= 'broken';
  });
  return stream;
};

const ways = [
  ['over WebSocket', overWebSocket],
  ['as an event stream', asEvents('text/event-stream')],
  ['in parts', asEvents('multipart/mixed;subscriptionSpec=1.0')],
] as const;

const live =
  'subscription { liveEvents { __typename ... on LiveEventItem { event { id } } ... on LiveMissed { count resumeAfter } } }';
const isTold = ({ results }: Stream) => results.some(({ data }) => data?.liveEvents?.event);
const untilTold = (streams: readonly Stream[]) =>
  until(() => {
    devnet.tick();
    return streams.every(isTold);
  }, 'an event for each');

/** The end that the last result of a stream reports. */
const farewells = (streams: readonly Stream[]) =>
  streams.map(({ results, end }) => [end, results.at(-1)?.data?.liveEvents]);
const goodbye = ['complete', { __typename: 'LiveMissed', count: 0, resumeAfter: expect.any(String) }];

describe('streams of a client', () => {
  it('end when its key is removed, over every transport, with a resume cursor; streams of others continue', async () => {
    const own = ways.map(([, follow]) => follow(leaves, live));
    const others = ways.map(([, follow]) => follow(stays, live));
    await untilTold([...own, ...others]);
    await writeFile(file, JSON.stringify(clients.slice(1)));
    await until(() => own.every(({ end }) => end !== null), 'their end');
    expect(farewells(own)).toEqual([goodbye, goodbye, goodbye]);
    const told = others.map(({ results }) => results.length);
    await until(() => {
      devnet.tick();
      return others.every(({ results }, index) => results.length > (told[index] ?? 0));
    }, 'more for the others');
    expect(others.map(({ end }) => end)).toEqual([null, null, null]);
    await writeFile(file, JSON.stringify(clients));
    for (const { leave } of [...own, ...others]) await leave();
  });

  it('end with an error that has the reason, if they are ledger subscriptions', async () => {
    const query = 'subscription { events { __typename ... on MoveThing { module } } }';
    const withKey = async (credential: string) => {
      const response = await gateway.query('{ viewer { id } }', {}, { 'x-api-key': credential });
      return response.errors === undefined;
    };
    await until(() => withKey(leaves), 'the key to be known');
    const own = ways.map(([, follow]) => follow(leaves, query));
    await until(() => {
      ledger.tell({ emittingModule: 'm', json: null });
      return own.every(({ results }) => results.length > 0);
    }, 'something for each');
    await writeFile(file, JSON.stringify(clients.slice(1)));
    await until(() => own.every(({ end }) => end !== null), 'their end');
    expect(own.map(({ results, end }) => [end, results.at(-1)?.errors?.[0]?.extensions.code])).toEqual(
      ways.map(() => ['complete', 'UNAUTHENTICATED']),
    );
    await until(() => ledger.following === 0, 'nobody to follow');
    for (const { leave } of own) await leave();
  });
});

it('streams of a JWT’s holder end when it expires, over every transport, with a resume cursor', async () => {
  const sign = (exp: number, sub: string) =>
    key.sign({ iss: 'https://issuer.example/', aud: 'ledger', exp, sub, scope: 'read' });
  const seconds = Math.floor(Date.now() / 1_000);
  // A token is valid for 30 s beyond its expiry: this one for about eight seconds.
  const streams = await Promise.all(ways.map(async ([, follow]) => follow(await sign(seconds - 22, 'a'), live)));
  const other = overWebSocket(await sign(seconds + 600, 'b'), live);
  await untilTold([...streams, other]);
  expect(streams.map(({ end }) => end)).toEqual([null, null, null]);
  await until(() => streams.every(({ end }) => end !== null), 'their end');
  expect(farewells(streams)).toEqual([goodbye, goodbye, goodbye]);
  expect(other.end).toBeNull();
  for (const { leave } of [...streams, other]) await leave();
});
