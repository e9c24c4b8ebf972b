import type { ExecutionResult } from 'graphql';
import { expect, it } from 'vitest';
import type { Heart } from '../../../../src/server/yoga/heart.ts';
import { useEventStream } from '../../../../src/server/yoga/use-event-stream.ts';

/** Counts those who are told when to say something. */
function createCountedHeart(): Heart & { listeners: number } {
  const heart = {
    listeners: 0,
    onBeat() {
      heart.listeners += 1;
      let isOn = true;
      return () => {
        if (isOn) heart.listeners -= 1;
        isOn = false;
      };
    },
  };
  return heart;
}

function open(heart: Heart, result: AsyncIterable<ExecutionResult>): ReadableStreamDefaultReader<Uint8Array> {
  const { onResultProcess } = useEventStream(new WeakMap(), heart);
  let response = new Response();
  onResultProcess?.({
    request: new Request('http://localhost/graphql', { headers: { accept: 'text/event-stream' } }),
    result,
    serverContext: { codes: new Set() },
    setResultProcessor: (process: (result: unknown, fetchApi: unknown) => Response) => {
      response = process(result, { Response, ReadableStream });
    },
  } as never);
  return (response.body as ReadableStream<Uint8Array>).getReader();
}

async function* tell(end: 'ends' | 'fails' | 'goes on'): AsyncGenerator<ExecutionResult> {
  yield { data: { a: 1 } };
  if (end === 'fails') throw new Error('a fault');
  if (end === 'goes on') await new Promise(() => {});
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

it.each([
  ['ends', async (reader: ReadableStreamDefaultReader<Uint8Array>) => readAll(reader)],
  ['fails', async (reader: ReadableStreamDefaultReader<Uint8Array>) => readAll(reader).catch(() => {})],
] as const)('a stream that %s leaves no beat behind', async (end, read) => {
  const heart = createCountedHeart();
  const reader = open(heart, tell(end));
  expect(heart.listeners).toBe(1);
  await read(reader);
  expect(heart.listeners).toBe(0);
});

it('a stream whose client leaves has no beat any more', async () => {
  const heart = createCountedHeart();
  const reader = open(heart, tell('goes on'));
  await reader.read();
  expect(heart.listeners).toBe(1);
  void reader.cancel();
  expect(heart.listeners).toBe(0);
});
