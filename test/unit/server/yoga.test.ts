import { expect, test } from 'vitest';
import type { YogaContext } from '../../../src/server/exchange.ts';
import { warmUp, type YogaTransport } from '../../../src/server/yoga.ts';

test('warms up both methods, as a caller that was already counted', async () => {
  const asked: string[] = [];
  const fetch = async (_address: string, { method = 'GET' }: RequestInit, context: YogaContext) => {
    asked.push(`${method} ${context.takeCounted()?.id}`);
    return new Response('{}');
  };
  await warmUp({ fetch } as unknown as YogaTransport);
  expect(new Set(asked)).toEqual(new Set(['GET nobody', 'POST nobody']));
});
