import { makeExecutableSchema } from '@graphql-tools/schema';
import fc from 'fast-check';
import { parse, specifiedRules, validate } from 'graphql';
import { expect, it } from 'vitest';
import { ExactNumber } from '../../../../src/json/exact-json.ts';
import { ResultTexts } from '../../../../src/operation/subscriptions/result-stream.ts';
import { sharePrinting } from '../../../../src/operation/subscriptions/run-stream.ts';
import type { OperationContext } from '../../../../src/upstream/operation-context.ts';
import { prepareOwnStream } from '../../../support/open-own-stream.ts';
import { runs } from '../../../support/runs.ts';

const numRuns = runs(100);

const source = { pushTo() {} };
/** Its fields tell what they were asked with. */
const schema = makeExecutableSchema({
  typeDefs: `
    type Query { a: Int }
    type Subscription { ticks(from: Int): Tick }
    enum Unit { ONE TWO }
    input Span { unit: Unit = ONE, inner: Span, ids: [ID] }
    type Tick {
      n: Int
      flag(of: Boolean = true): String
      id(of: ID = "none"): String
      text(of: String = "none"): String
      float(of: Float = 0.5): String
      unit(of: Unit = TWO): String
      span(of: Span = { unit: TWO }): String
      ids(of: [ID] = ["none"]): String
    }
  `,
  resolvers: {
    Subscription: { ticks: { subscribe: () => source } },
    Tick: Object.fromEntries(
      ['flag', 'id', 'text', 'float', 'unit', 'span', 'ids'].map((name) => [
        name,
        (_: unknown, args: object) => `${JSON.stringify(args)} ${JSON.stringify(Object.keys(args))}`,
      ]),
    ),
  },
});

const values: Readonly<Record<string, { type: string; defaults: string[]; sent: unknown[] }>> = {
  flag: { type: 'Boolean', defaults: ['', ' = true', ' = false'], sent: [true, false, null] },
  id: { type: 'ID', defaults: ['', ' = "1"'], sent: [1, '1', '', null, new ExactNumber('18446744073709551615')] },
  text: { type: 'String', defaults: ['', ' = "null"', ' = null'], sent: ['null', '1', '[null]', '{}', null] },
  float: { type: 'Float', defaults: ['', ' = 1'], sent: [1, -1, new ExactNumber('1.0'), 1e30, null] },
  unit: { type: 'Unit', defaults: ['', ' = ONE'], sent: ['ONE', 'TWO', null] },
  span: {
    type: 'Span',
    defaults: ['', ' = { unit: null }'],
    sent: [
      {},
      { unit: 'ONE' },
      { unit: null },
      { inner: {} },
      { inner: { unit: null }, ids: '1' },
      { ids: ['1'] },
      null,
    ],
  },
  ids: { type: '[ID]', defaults: ['', ' = []'], sent: [[], ['1'], [1], '1', [null], null] },
};
const names = Object.keys(values);

/** Each variable is an argument at one of three depths, or left to directives. */
const use = fc.record({
  name: fc.constantFrom(...names),
  default: fc.nat(2),
  at: fc.constantFrom('field', 'inline', 'spread'),
});
const directive = fc.option(
  fc.record({ word: fc.constantFrom('include', 'skip'), default: fc.constantFrom(' = true', ' = false') }),
);
const readers = fc.array(
  fc.record({
    usage: fc.constantFrom(null, 1),
    variables: fc.dictionary(fc.constantFrom(...names, 'if'), fc.nat(7), { noNullPrototype: false }),
  }),
  { minLength: 2, maxLength: 8 },
);

function toDocument(
  uses: readonly (typeof use extends fc.Arbitrary<infer U> ? U : never)[],
  on: string | null,
): string {
  const known = new Map(uses.map((each) => [each.name, each]));
  const declared = [...known].map(([name, { default: index }]) => {
    const { type, defaults } = values[name] as (typeof values)[string];
    return `$${name}: ${type}${defaults[index % defaults.length]}`;
  });
  const fields = (place: string) =>
    [...known].flatMap(([name, { at }]) => (at === place ? [`${name}(of: $${name})`] : [])).join(' ');
  const word = on?.split(' ')[0];
  const rest = on?.slice(on.indexOf(' ')) ?? '';
  if (on) declared.push(`$if: Boolean${rest}`);
  const head = declared.length > 0 ? `(${declared.join(', ')})` : '';
  const when = on ? ` @${word}(if: $if)` : '';
  return `subscription${head} { ticks { n ${fields('field')} ... on Tick${when} { id2: id ${fields('inline')} } ...Deep } }
    fragment Deep on Tick { ...Deeper } fragment Deeper on Tick { n ${fields('spread')} }`;
}

it('sends each stream what it would receive alone, whatever the others request', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(use, { selector: ({ name }) => name }),
      directive,
      readers,
      async (uses, on, all) => {
        const text = toDocument(uses, on && `${on.word}${on.default}`);
        expect(validate(schema, parse(text), specifiedRules)).toEqual([]);
        const open = prepareOwnStream(schema, text, new ResultTexts(100_000));
        const context = {} as OperationContext;
        const items = [{ ticks: { n: 1 } }, { ticks: { n: 2 } }];
        const streams = await Promise.all(
          all.map(async ({ usage, variables }) => {
            const sent = Object.fromEntries(
              Object.entries(variables).map(([name, index]) => {
                const of = (values[name] ?? values.flag)?.sent ?? [];
                return [name, of[index % of.length]];
              }),
            );
            const opened = await open(sent, context);
            return sharePrinting(opened, {
              context,
              tidy: (result) => (usage ? { ...result, extensions: { usage } } : result),
            });
          }),
        );
        for (const item of items) {
          for (const stream of streams) {
            expect(stream?.results.textOf(item, stream)?.bytes).toBe(stream?.print(item)?.bytes);
          }
        }
      },
    ),
    { numRuns },
  );
});
