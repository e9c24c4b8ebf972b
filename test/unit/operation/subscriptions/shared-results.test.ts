import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { fragmentsOf } from '../../../../src/documents/selections.ts';
import { ResultText, ResultTexts } from '../../../../src/operation/subscriptions/result-stream.ts';
import { findResultVariables } from '../../../../src/operation/subscriptions/run-stream.ts';

/** Counts how often something was printed. */
function printer() {
  const printed: object[] = [];
  const print = (item: object) => {
    printed.push(item);
    return new ResultText(JSON.stringify(item));
  };
  return { printed, print };
}

describe('results of streams', () => {
  it('are printed once for all subscribers with the same result', () => {
    const join = new ResultTexts(10_000).ofDocument();
    const { printed, print } = printer();
    const streams = Array.from({ length: 100 }, () => join('same'));
    const items = [{ n: 1 }, { n: 2 }];
    for (const stream of streams) {
      for (const item of items) expect(stream.textOf(item, { print })?.bytes).toBe(JSON.stringify(item));
    }
    expect(printed).toEqual(items);
  });

  it('are printed separately for the others', () => {
    const texts = new ResultTexts(10_000);
    const join = texts.ofDocument();
    const { printed, print } = printer();
    const item = {};
    const other = texts.ofDocument();
    for (const stream of [join('a'), join('a'), join('b'), join('b'), other('a'), other('a')])
      stream.textOf(item, { print });
    expect(printed).toHaveLength(3);
  });

  it('that are known to be unique are not compared again', () => {
    const join = new ResultTexts(10_000).ofDocument();
    const [one, two] = [join('same'), join('same')];
    const item = {};
    expect(one.textOf(item, { print: () => null })).toBeNull();
    expect(two.textOf(item, printer())).toBeNull();
  });

  it('are shared by keys of any length', () => {
    const join = new ResultTexts(10_000).ofDocument();
    const { printed, print } = printer();
    const item = {};
    const long = 'x'.repeat(100_000);
    const streams = [long, long, `${long}y`].map(join);
    for (const stream of streams) stream.textOf(item, { print });
    expect(printed).toHaveLength(2);
  });

  it('are not kept for a single stream, beyond the bound, or after the last subscriber has left', () => {
    const texts = new ResultTexts(2_000);
    const { printed, print } = printer();
    const alone = texts.ofDocument()('a');
    const item = {};
    alone.textOf(item, { print });
    alone.textOf(item, { print });
    expect(printed).toHaveLength(2);

    const join = texts.ofDocument();
    const [one, two] = [join('a'), join('a')];
    const items = Array.from({ length: 100 }, (_, n) => ({ n }));
    for (const each of items) one.textOf(each, { print });
    const before = printed.length;
    for (const each of items.toReversed()) two.textOf(each, { print });
    // Some of the newest were still there, and by far not all.
    expect(printed.length - before).toBeGreaterThan(80);
    expect(printed.length - before).toBeLessThan(100);

    one.textOf(item, { print });
    expect(texts.bytes).toBeGreaterThan(0);
    one.leave();
    expect(join('a')).toBe(two);
    two.leave();
    two.leave();
    expect(texts.bytes).toBe(0);
    const again = [join('a'), join('a')];
    expect(again[0]).not.toBe(one);
    const kept = printed.length;
    for (const each of again) each.textOf(item, { print });
    expect(printed.length - kept).toBe(1);
  });

  it('larger than the bound are printed for each', () => {
    const join = new ResultTexts(1_000).ofDocument();
    const { printed, print } = printer();
    const item = { text: 'x'.repeat(2_000) };
    for (const stream of [join('a'), join('a')]) stream.textOf(item, { print });
    expect(printed).toHaveLength(2);
  });
});

it.each(['plain', 'ünïcode ☃ 𝄞'])('keep the bytes of %s', (text) => {
  expect(Buffer.from(new ResultText(text).bytes, 'latin1').toString('utf8')).toBe(text);
});

it.each([
  ['subscription ($a: Int) { ticks(from: $a) { n } }', []],
  ['subscription ($a: Int, $b: Boolean!) { ticks(from: $a) { n @include(if: $b) } }', ['b']],
  ['subscription ($a: Int, $b: Boolean!) { ... on Subscription { ticks(from: $a) @include(if: $b) { n } } }', ['b']],
  ['subscription ($a: Int) { ...Root } fragment Root on Subscription { ticks(from: $a) { n(times: $a) } }', ['a']],
  [
    'subscription ($a: Int, $b: Boolean!) { ticks { ...T ...T } } fragment T on Tick { n(times: $a) ...U @skip(if: $b) } fragment U on Tick { n }',
    ['a', 'b'],
  ],
])('find what decides the result of %s', (text, names) => {
  const document = parse(text);
  const [operation] = document.definitions;
  if (operation?.kind !== 'OperationDefinition') throw new Error('no operation');
  expect(findResultVariables({ operation, fragments: fragmentsOf(document) })).toEqual(names);
});
