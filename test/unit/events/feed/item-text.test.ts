import { describe, expect, it } from 'vitest';
import { eventText, transactionText } from '../../../../src/events/live-items.ts';

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
    const text = '{"digest":"d","timestampMs":"7","checkpoint":null,"raw":{"digest":"d","gas":18446744073709551615}}';
    expect(transactionText.write(transactionText.read(text))).toBe(text);
  });
});
