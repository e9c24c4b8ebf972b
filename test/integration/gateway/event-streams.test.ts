import { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Devnet } from '../../../src/devnet/start-devnet.ts';
import { type EventStreamReader, readEventStream } from '../../support/event-stream-reader.ts';
import { eventIds, quickPolls, startTickedDevnet } from '../../support/live-network.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

let devnet: Devnet;
let gateway: TestGateway;

beforeAll(async () => {
  devnet = await startTickedDevnet();
  gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
    LEDGER_RPC_URL: devnet.rpcUrl,
    ...quickPolls,
  });
});
afterAll(async () => {
  await gateway?.close();
  await devnet?.close();
});

const allIds = () => eventIds(devnet);
const happen = () => {
  const before = devnet.ledger.events.length;
  while (devnet.ledger.events.length === before) devnet.tick();
};
const toldIds = ({ results }: EventStreamReader) => results.map(({ data }) => data.liveEvents.event.id);

const bare = 'subscription { liveEvents { ... on LiveEventItem { event { id } } } }';

/** As an `EventSource` would, with the query in the URL. */
const follow = (query: string, variables: object = {}, lastEventId?: string) => {
  const asked = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  return readEventStream(`${gateway.url}/graphql?${asked}`, {
    headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  });
};

describe('an event stream', () => {
  it('sends its start cursor before anything happens, so that a reconnect loses nothing', async () => {
    const first = await follow(bare);
    await until(() => first.lastId !== undefined, 'a place');
    expect(first.results).toEqual([]);
    const before = allIds().length;
    await first.leave();
    happen();
    happen();
    const again = await follow(bare, {}, first.lastId);
    const expected = allIds().slice(before);
    await until(() => again.results.length >= expected.length, 'what happened meanwhile');
    expect(toldIds(again)).toEqual(expected);
    await again.leave();
  });

  it('begins in one write, with the head of the response', async () => {
    const writes = vi.spyOn(Socket.prototype, '_writev');
    const reader = await follow(bare);
    const texts = writes.mock.calls.map(([chunks]) => chunks.map(({ chunk }) => String(chunk)).join(''));
    writes.mockRestore();
    await reader.leave();
    expect(texts.some((text) => /^HTTP.+text\/event-stream.+\nretry: /s.test(text))).toBe(true);
  });

  it('sends a randomized reconnect time', async () => {
    const readers = await Promise.all([follow(bare), follow(bare), follow(bare)]);
    await until(() => readers.every(({ blocks }) => blocks.length > 0), 'the first blocks');
    const times = readers.map(({ blocks }) => Number(blocks[0]?.retry));
    for (const ms of times) expect(ms).toSatisfy((each: number) => each >= 1_000 && each <= 3_000);
    expect(new Set(times).size).toBeGreaterThan(1);
    await Promise.all(readers.map((reader) => reader.leave()));
  });

  it('sends a resume cursor with each item, whatever is selected: the cursor', async () => {
    const reader = await follow('subscription { liveEvents { ... on LiveEventItem { cursor } __typename } }');
    await until(() => reader.lastId !== undefined, 'its beginning');
    happen();
    await until(() => reader.results.length > 0, 'an event');
    const told = reader.blocks.filter(({ event }) => event === 'next');
    expect(told.map(({ id }) => id)).toEqual(reader.results.map(({ data }) => data.liveEvents.cursor));
    await reader.leave();
  });

  it.each([
    [
      'in a variable',
      'subscription ($after: String) { liveEvents(after: $after) { ... on LiveEventItem { event { id } } } }',
    ],
    ['as a literal', 'subscription { liveEvents(after: "AFTER") { ... on LiveEventItem { event { id } } } }'],
  ])('resumes from Last-Event-ID, which is later than `after` %s', async (_, query) => {
    const early = await follow(bare);
    await until(() => early.lastId !== undefined, 'its beginning');
    const after = early.lastId ?? '';
    happen();
    await until(() => early.results.length > 0, 'an event');
    await early.leave();
    const ids = toldIds(early);
    const all = allIds();
    const reader = await follow(query.replace('AFTER', after), { after }, early.lastId);
    happen();
    const expected = () => allIds().slice(all.indexOf(ids.at(-1)) + 1);
    await until(() => reader.results.length >= expected().length, 'the rest');
    expect(toldIds(reader)).toEqual(expected());
    await reader.leave();
  });

  it('treats an empty Last-Event-ID as none', async () => {
    const reader = await follow(bare, {}, '');
    await until(() => reader.lastId !== undefined, 'its beginning');
    expect(reader.results).toEqual([]);
    await reader.leave();
  });

  it.each([
    ['made up', async () => 'AAAAAAAAAAAAAAAAAAAAAAAA'],
    ['far too long', async () => 'A'.repeat(10_000)],
    [
      'of another filter',
      async () => {
        const other = await follow('subscription { liveEvents(filter: { sender: "0x2" }) { __typename } }');
        await until(() => other.lastId !== undefined, 'its beginning');
        await other.leave();
        return other.lastId ?? '';
      },
    ],
  ])('refuses a place that is %s, as it does such an `after`', async (_, toPlace) => {
    const reader = await follow(bare, {}, await toPlace());
    await until(() => reader.isOver, 'its end');
    expect(reader.results).toMatchObject([{ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] }]);
    expect(reader.isComplete).toBe(true);
    expect(JSON.stringify(reader.results).length).toBeLessThan(1_000);
  });

  it('ends with a resume cursor when the gateway stops', async () => {
    const other = await createTestGateway({
      LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
      LEDGER_RPC_URL: devnet.rpcUrl,
      LIVE_POLL_MIN_MS: '10',
    });
    const reader = await readEventStream(`${other.url}/graphql?${new URLSearchParams({ query: bare })}`);
    await until(() => reader.lastId !== undefined, 'its beginning');
    await other.close();
    await until(() => reader.isOver, 'its end');
    expect(reader.isComplete).toBe(true);
    expect(reader.blocks.at(-2)).toMatchObject({ event: 'next', id: expect.any(String) });
  });
});

describe('a single response to a client that accepts only event streams', () => {
  it.each([
    ['a result', '{ gateway { version } }', 3_000],
    ['a refusal, which its browser shall not ask for every second', '{ nothing }', 60_000],
    ['the refusal of a stream', 'subscription { liveEvents(after: "x") { __typename } }', 60_000],
  ])('is a stream of one event, not cacheable: %s', async (_, query, atMostMs) => {
    const reader = await follow(query);
    await until(() => reader.isOver, 'its end');
    expect(reader.status).toBe(200);
    expect(reader.headers.get('cache-control')).toContain('no-store');
    expect(reader.headers.get('content-encoding')).toBeNull();
    const again = Number(reader.blocks[0]?.retry);
    expect(again).toSatisfy((ms: number) => ms > atMostMs / 4 && ms <= atMostMs);
    expect(reader.blocks.slice(1).map(({ event }) => event)).toEqual(['next', 'complete']);
  });

  it('has an error status for rejections not about the document', async () => {
    const reader = await follow('mutation { executeTx(reservationId: "1", txBytes: "", userSig: "") { __typename } }');
    expect(reader.status).toBe(405);
    await reader.leave();
  });
});

describe('a multipart subscription', () => {
  const ask = (query: string, accept = 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json') => {
    const controller = new AbortController();
    const headers = { accept, 'content-type': 'application/json' };
    const answer = fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
      signal: controller.signal,
    });
    return { answer, leave: () => controller.abort() };
  };

  it('sends the boundary right after each event, so that clients need not wait for the next', async () => {
    const { answer, leave } = ask(bare);
    const response = await answer;
    expect(response.headers.get('content-type')).toBe('multipart/mixed; boundary="graphql"; subscriptionSpec=1.0');
    let text = '';
    const read = async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString('utf8');
    };
    read().catch(() => {});
    await until(() => {
      if (!text.includes('payload')) happen();
      return text.includes('payload');
    }, 'an event');
    leave();
    const [preamble, part] = text.split('\r\n--graphql');
    expect(preamble).toBe('');
    expect(part).toMatch(/^\r\ncontent-type: application\/json\r\n\r\n\{"payload":\{"data":\{"liveEvents":/);
    expect(text.endsWith('}\r\n--graphql')).toBe(true);
  });

  it('is not sent to clients of another multipart protocol', async () => {
    const response = await ask(bare, 'multipart/mixed, application/json').answer;
    expect(response.status).toBe(406);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
  });

  it('is rejected like any operation if it is invalid', async () => {
    const response = await ask('subscription { nothing }').answer;
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] });
  });
});
