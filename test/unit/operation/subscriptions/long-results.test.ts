import { makeExecutableSchema } from '@graphql-tools/schema';
import { expect, it } from 'vitest';
import { ResultTexts } from '../../../../src/operation/subscriptions/result-stream.ts';
import type { OperationContext } from '../../../../src/upstream/operation-context.ts';
import { prepareOwnStream } from '../../../support/open-own-stream.ts';
import { toTestCaller } from '../../../support/test-caller.ts';

const source = { pushTo() {} };
const schema = makeExecutableSchema({
  typeDefs: 'type Query { a: Int } type Subscription { ticks: Tick } type Tick { text: String }',
  resolvers: { Subscription: { ticks: { subscribe: () => source } } },
});
const names = Array.from({ length: 280 }, (_, index) => `a${index}: text`).join(' ');

it('rejects an item that hundreds of aliases make too long, and delivers the next one', async () => {
  const open = prepareOwnStream(schema, `subscription { ticks { ${names} } }`, new ResultTexts(0));
  const context = { caller: toTestCaller() } as OperationContext;
  const stream = await open({}, context);
  expect(await stream.execute({ ticks: { text: 'x'.repeat(100_000) } }, context)).toMatchObject({
    data: null,
    errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }],
  });
  const next = await stream.execute({ ticks: { text: 'short' } }, context);
  expect(next).toMatchObject({ data: { ticks: { a0: 'short', a279: 'short' } } });
  expect(next.errors).toBeUndefined();
});
