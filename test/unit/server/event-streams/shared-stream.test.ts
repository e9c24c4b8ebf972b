import { EventEmitter } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionResult } from 'graphql';
import { expect, test } from 'vitest';
import type { Heart } from '../../../../src/server/event-streams/heart.ts';
import { type SharedOperation, SharedStream } from '../../../../src/server/event-streams/shared-stream.ts';
import { openRawClient } from '../../../support/raw-client.ts';
import { until } from '../../../support/until.ts';

/** The answer to a client that reads when the test says so. */
class Answer extends EventEmitter {
  readonly written: string[] = [];
  writableNeedDrain = false;
  writableLength = 0;
  isEnded = false;
  writeHead(): void {}
  write(text: string): void {
    this.written.push(text);
  }
  end(): void {
    this.isEnded = true;
  }
  destroy(): void {
    this.emit('close');
  }
}

function open(maxOperations = 2) {
  const answer = new Answer();
  const beats = new Set<() => void>();
  const heart: Heart = {
    onBeat(listener) {
      beats.add(listener);
      return () => beats.delete(listener);
    },
  };
  const stream = new SharedStream(answer as unknown as ServerResponse, {
    maxOperations,
    heart,
    onGone: (then) => void answer.once('close', then),
  });
  const begin = (id: string) => stream.begin(id) as SharedOperation;
  return { answer, stream, begin, beats };
}

/** Counts how often it was asked. */
function endless() {
  const results = {
    asked: 0,
    isLeft: false,
    async next(): Promise<IteratorResult<ExecutionResult>> {
      results.asked += 1;
      return { done: false, value: { data: { n: results.asked } } };
    },
    async return() {
      results.isLeft = true;
      return { done: true, value: undefined } as const;
    },
    [Symbol.asyncIterator]: () => results,
  };
  return results;
}

const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
};

test('asks for nothing more while its client does not read, and goes on when it does', async () => {
  const { answer, begin, beats } = open();
  const results = endless();
  answer.writableNeedDrain = true;
  void begin('a').tell(results, () => {});
  for (const beat of beats) beat();
  await turns();
  expect(results.asked).toBe(0);
  expect(answer.written).toEqual([':\n\n']);
  answer.writableNeedDrain = false;
  answer.emit('drain');
  await turns();
  expect(results.asked).toBeGreaterThan(1);
  expect(answer.written[1]).toBe('event: next\ndata: {"id":"a","payload":{"data":{"n":1}}}\n\n');
  answer.writableNeedDrain = true;
  await turns();
  const { asked } = results;
  await turns();
  expect(results.asked).toBe(asked);
  answer.emit('close');
  await turns();
  expect(results.isLeft).toBe(true);
  expect(beats.size).toBe(0);
});

test('begins no more for a client that lets much wait, and is cut off where far more does', async () => {
  const { answer, stream, begin } = open();
  const first = begin('a');
  answer.writableLength = 2 * 1024 * 1024;
  expect(stream.begin('b')).toBe('unread');
  answer.writableLength = 65 * 1024 * 1024;
  await first.tell({ data: {} }, () => {});
  expect(stream.isOver).toBe(true);
  expect(first.isLeft).toBe(true);
});

test('has so many operations at once, each id once, and a place again when one has ended', async () => {
  const { stream, begin } = open();
  const first = begin('a');
  expect(stream.begin('a')).toBe('taken');
  begin('b');
  expect(stream.begin('c')).toBe('too-many');
  await first.tell({ data: {} }, () => {});
  expect(begin('a')).toBeInstanceOf(Object);
});

test('tells who waits for an operation when its client ends it, or is gone', () => {
  const { answer, stream, begin } = open();
  const left: string[] = [];
  for (const id of ['a', 'b']) begin(id).onLeft(() => left.push(id));
  stream.leave('a');
  stream.leave('a');
  stream.leave('nobody');
  expect(left).toEqual(['a']);
  answer.emit('close');
  expect(left).toEqual(['a', 'b']);
});

test('told to stop, it begins no more, and ends with its last operation', async () => {
  const { answer, stream, begin } = open();
  const operation = begin('a');
  stream.stop();
  expect(stream.begin('b')).toBe('stopping');
  expect(answer.isEnded).toBe(false);
  await operation.tell({ data: {} }, () => {});
  expect(answer.written.at(-1)).toBe('event: complete\ndata: {"id":"a"}\n\n');
  expect(answer.isEnded).toBe(true);
});

test('says nothing behind an end that waits for its turn on the connection', async () => {
  const answers: ServerResponse[] = [];
  const server = createServer((_, res) => void answers.push(res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = await openRawClient((server.address() as AddressInfo).port);
  await client.send('GET /first HTTP/1.1\r\nhost: a\r\n\r\nGET /second HTTP/1.1\r\nhost: a\r\n\r\n');
  await until(() => answers.length === 2, 'both requests');
  const [first, second] = answers as [ServerResponse, ServerResponse];
  const faults: unknown[] = [];
  second.on('error', (error) => faults.push(error));
  let beat = () => {};
  const heart: Heart = {
    onBeat(listener) {
      beat = listener;
      return () => {};
    },
  };
  const stream = new SharedStream(second, { maxOperations: 2, heart, onGone: () => {} });
  stream.stop();
  beat();
  first.end('first');
  await client.receive(/first[\s\S]*\r\n0\r\n\r\n/);
  expect(faults).toEqual([]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
