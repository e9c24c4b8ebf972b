import { makeExecutableSchema } from '@graphql-tools/schema';
import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { ResultTexts } from '../../../../src/operation/subscriptions/result-stream.ts';
import { createOpenStream } from '../../../../src/operation/subscriptions/run-stream.ts';
import type { OperationContext } from '../../../../src/upstream/operation-context.ts';

const source = { next: () => new Promise(() => {}), [Symbol.asyncIterator]: () => source };
const schema = makeExecutableSchema({
  typeDefs: 'type Query { a: Int } type Subscription { ticks: Tick } type Tick { text: String }',
  resolvers: { Subscription: { ticks: { subscribe: () => source } } },
});
const names = Array.from({ length: 280 }, (_, index) => `a${index}: text`).join(' ');

it('rejects an item that hundreds of aliases make too long, and delivers the next one', async () => {
  const open = createOpenStream({
    schema,
    ownSchema: schema,
    document: parse(`subscription { ticks { ${names} } }`),
    operationName: null,
    texts: new Set(),
    printed: new ResultTexts(0),
  });
  const context = {} as OperationContext;
  const stream = await open({}, context);
  if (!('execute' in stream)) throw new Error('it is not open');
  expect(await stream.execute({ ticks: { text: 'x'.repeat(100_000) } }, context)).toMatchObject({
    data: null,
    errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }],
  });
  const next = await stream.execute({ ticks: { text: 'short' } }, context);
  expect(next).toMatchObject({ data: { ticks: { a0: 'short', a279: 'short' } } });
  expect(next.errors).toBeUndefined();
});
