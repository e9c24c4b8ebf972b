import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import { EventStream } from '../../../src/server/event-stream.ts';
import { Heartbeats } from '../../../src/server/heartbeats.ts';
import { eventFraming, type Framing, multipartFraming } from '../../../src/server/write-answer.ts';
import { streamResults } from '../../support/pushed-items.ts';
import { openRawClient, type RawClient } from '../../support/raw-client.ts';
import { until } from '../../support/until.ts';

let server: ReturnType<typeof createServer>;
let response: ServerResponse;
let client: RawClient;
const beat = async () => {
  vi.advanceTimersByTime(15_000);
  await new Promise((resolve) => setImmediate(resolve));
};

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  server = createServer((_, res) => {
    response = res.writeHead(200);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = await openRawClient((server.address() as AddressInfo).port);
  await client.send('GET / HTTP/1.0\r\n\r\n');
  await until(() => response !== undefined, 'the request');
});
afterEach(async () => {
  vi.useRealTimers();
  response = undefined as unknown as ServerResponse;
  client.vanish('closing');
  await new Promise((resolve) => server.close(resolve));
});

const errors: string[] = [];
const options = {
  framing: eventFraming,
  heartbeats: new Heartbeats(15_000),
  lastEventId: undefined,
  onErrors: (all: readonly GraphQLError[]) => void errors.push(...all.map(({ message }) => message)),
};
function open(framing: Framing = eventFraming): EventStream {
  errors.length = 0;
  return new EventStream(response, { ...options, framing });
}

/** Results that come when a test says so, until the stream is left. */
function createResults() {
  const waiting: ((step: IteratorResult<ExecutionResult>) => void)[] = [];
  const state = { asked: 0, left: 0 };
  const results: AsyncIterator<ExecutionResult> = {
    next: () =>
      new Promise((resolve) => {
        state.asked += 1;
        waiting.push(resolve);
      }),
    async return() {
      state.left += 1;
      return { done: true, value: undefined };
    },
  };
  const tell = (name: string) => waiting.shift()?.({ done: false, value: { data: { name } } });
  const finish = () => waiting.shift()?.({ done: true, value: undefined });
  return { state, results: streamResults(results), tell, finish };
}

describe('an event stream', () => {
  it('has an opening, each result, a heartbeat, and an end', async () => {
    const { state, results, tell, finish } = createResults();
    open().follow(results);
    await beat();
    tell('a');
    await until(() => state.asked === 2, 'the first result is written');
    finish();
    expect(await client.whole()).toMatch(
      /\r\n\r\nretry: \d+\n:\n\n:\n\nevent: next\ndata: \{"data":\{"name":"a"\}\}\n\nevent: complete\ndata:\n\n$/,
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sends the first cursor immediately, later ones with the next heartbeat, and none that a result has passed', async () => {
    const { state, results, tell } = createResults();
    const stream = open();
    stream.quietAt(() => 'before');
    stream.follow(results);
    stream.quietAt(() => 'waits');
    await beat();
    stream.quietAt(() => 'passed');
    tell('a');
    await until(() => state.asked === 2, 'a result');
    await beat();
    stream.quietAt(() => 'waits too');
    await beat();
    await client.receive(/waits too\n\n$/);
    response.destroy();
    expect((await client.whole()).split('\n\n').slice(1, -1)).toEqual([
      'id: before',
      'id: waits',
      'event: next\ndata: {"data":{"name":"a"}}',
      ':',
      'id: waits too',
    ]);
  });

  it('sends a late cursor immediately if it is the first', async () => {
    const { results } = createResults();
    const stream = open();
    stream.follow(results);
    await beat();
    stream.quietAt(() => 'first');
    await expect(client.receive(/:\n\n:\n\nid: first\n\n$/)).resolves.toBeUndefined();
  });

  it('requests a result only when the client has read the earlier ones, and ends when it leaves', async () => {
    const { state, results, tell } = createResults();
    client.stopReading();
    open().follow(results);
    let told = 0;
    for (; told < 10_000 && state.asked > told; told += 1) {
      tell('x'.repeat(100_000));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(told).toBeLessThan(1_000);
    await beat();
    expect(response.writableLength).toBeLessThan(200_000);
    client.vanish('resetting');
    await until(() => state.left === 1 && vi.getTimerCount() === 0, 'it is left');
  });

  it('of a client that left before it was opened ends immediately', async () => {
    const { state, results } = createResults();
    const stream = open();
    client.vanish('resetting');
    await until(() => response.destroyed, 'the client is gone');
    stream.follow(results);
    expect([state, vi.getTimerCount()]).toEqual([{ asked: 0, left: 1 }, 0]);
  });

  it('resumes at the last event id of its client, of which it reads 4,096 characters', () => {
    const at = (lastEventId: string) => new EventStream(response, { ...options, lastEventId }).after;
    expect([at(''), at('abc'), at('x'.repeat(5_000))]).toEqual([null, 'abc', 'x'.repeat(4_096)]);
  });

  it('of results that are pushed asks for more when its client has read, and breaks if its source fails', async () => {
    const [resumed, left] = [vi.fn(), vi.fn()];
    const source = { pushTo() {}, resume: resumed, leave: left };
    const stream = open();
    stream.follow(source as never);
    client.stopReading();
    while (stream.isReady) stream.takeResult({ data: { name: 'x'.repeat(100_000) } });
    expect(resumed).not.toHaveBeenCalled();
    client.resumeReading();
    await until(() => resumed.mock.calls.length > 0, 'the client has read');
    expect(stream.isReady).toBe(true);
    stream.fail(new Error('broken'));
    await until(() => left.mock.calls.length === 1, 'the source is left');
    expect([response.destroyed, vi.getTimerCount()]).toEqual([true, 0]);
    expect(await client.whole()).not.toContain('event: complete');
  });

  it('ends its connection if its source fails before the response to an earlier request is sent', async () => {
    const known = response;
    const second = await openRawClient((server.address() as AddressInfo).port);
    await second.send('GET /first HTTP/1.1\r\nhost: a\r\n\r\n');
    await until(() => response !== known, 'the first request');
    const first = response;
    await second.send('GET /stream HTTP/1.1\r\nhost: a\r\n\r\n');
    await until(() => response !== first, 'the second request');
    const stream = open();
    stream.follow(createResults().results);
    stream.fail(new Error('broken'));
    first.end('first');
    const whole = await second.whole();
    expect(whole).toContain('first');
    expect(whole).not.toContain('event: complete');
  });

  it('of results that are pushed ends with an error that would come again', async () => {
    const { results } = createResults();
    const stream = open();
    stream.follow(results);
    stream.fail(gatewayError('BAD_USER_INPUT', 'no such filter'));
    expect(await client.whole()).toMatch(/"message":"no such filter".*\n\nevent: complete\ndata:\n\n$/);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('in parts has the boundary after each part, and no cursors', async () => {
    const { results, finish } = createResults();
    const stream = open(multipartFraming);
    stream.follow(results);
    stream.quietAt(() => 'nowhere');
    finish();
    expect((await client.whole()).split('\r\n\r\n').slice(1).join('|')).toBe(
      '\r\n--graphql\r\ncontent-type: application/json|{}\r\n--graphql--\r\n',
    );
  });
});
