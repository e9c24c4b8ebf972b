import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createGasPriceReader } from '../../../src/ledger/gas-price.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';

const priced = buildSchema('type Query { epoch: Epoch } type Epoch { referenceGasPrice: String }');

function reading(answers: readonly unknown[], schema = priced) {
  const time = { ms: 0 };
  let calls = 0;
  let begin = () => {};
  const read = createGasPriceReader({
    execute: async () => (answers[calls++] ?? {}) as never,
    schema: () => schema,
    onNewEra: (begun) => {
      begin = begun;
    },
    clock: () => time.ms,
  });
  return { time, newEra: () => begin(), calls: () => calls, price: () => read(createCancellation()) };
}
const of = (referenceGasPrice: unknown) => ({ data: { epoch: { referenceGasPrice } } });

describe('the gas price', () => {
  it('is read once in 10 seconds, and again on another network', async () => {
    const { time, newEra, calls, price } = reading([of('1000'), of('1100'), of('5')]);
    expect([await price(), await price(), calls()]).toEqual([1000n, 1000n, 1]);
    time.ms = 10_000;
    expect([await price(), calls()]).toEqual([1100n, 2]);
    newEra();
    expect([await price(), calls()]).toEqual([5n, 3]);
  });

  it.each([null, 'much', '-1', '1e3'])('that is %j is an error, and is not kept', async (answer) => {
    const { price } = reading([of(answer), of('7')]);
    await expect(price()).rejects.toMatchObject({ extensions: { code: 'UPSTREAM_UNAVAILABLE', upstream: 'ledger' } });
    expect(await price()).toBe(7n);
  });

  it('of a ledger without one is an error, without a call', async () => {
    const { price, calls } = reading([], buildSchema('type Query { epoch: String }'));
    await expect(price()).rejects.toThrow('its schema has no field for it');
    expect(calls()).toBe(0);
  });
});
