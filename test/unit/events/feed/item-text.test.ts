import { describe, expect, it } from 'vitest';
import { createTransactionText, eventText } from '../../../../src/events/live-items.ts';

const transactionText = createTransactionText(() => new Set(['key']));

describe('an item that another process has written', () => {
  it.each(['null', '5', '"x"', '[]', '{', ''])('is none where it says %s', (text) => {
    expect(() => eventText.read(text)).toThrow();
    expect(() => transactionText.read(text)).toThrow();
  });

  it.each(['{}', '{"digest":5,"raw":{}}', '{"digest":"d"}', '{"digest":"d","raw":null}'])(
    'is no transaction where it says %s',
    (text) => {
      expect(() => transactionText.read(text)).toThrow();
    },
  );

  it('is read as it was written, every digit', () => {
    const text = (isOfAll: boolean) =>
      `{"digest":"d","timestampMs":"7","checkpoint":null,"raw":{"digest":"d","gas":18446744073709551615},"isOfAll":${isOfAll}}`;
    for (const isOfAll of [true, false]) {
      const read = transactionText.read(text(isOfAll));
      expect(transactionText.write(read)).toBe(text(isOfAll));
      expect(read.keys?.()).toEqual(isOfAll ? new Set(['key']) : undefined);
    }
  });
});
