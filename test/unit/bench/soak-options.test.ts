import { expect, test } from 'vitest';
import { parseSoakOptions } from '../../bench/soak/soak-options.ts';

test('nothing asked for is ten minutes at nine tenths of the capacity', () => {
  expect(parseSoakOptions([])).toMatchObject({ minutes: 10, load: 90, generations: 0, json: null });
});

test('every option is read', () => {
  const args = '--minutes 0.5 --load 50 --generations 50 --settle 10 --sample 0.5 --capacity 2 --json out.json';
  expect(parseSoakOptions(args.split(' '))).toEqual({
    minutes: 0.5,
    load: 50,
    generations: 50,
    settleSeconds: 10,
    sampleSeconds: 0.5,
    capacitySeconds: 2,
    json: 'out.json',
  });
});

test('help asks for nothing else', () => {
  expect(parseSoakOptions(['--help', '--minutes', 'many'])).toBeNull();
});

test.each([
  [['--minutes', '0'], '--minutes takes a number from 0.05 to 1440; got 0'],
  [['--load', '110'], '--load takes a number from 1 to 100; got 110'],
  [['--load', '1e1'], '--load takes a number'],
  [['--generations', '1.5'], '--generations takes a whole number from 0 to 10000; got 1.5'],
  [['--nonsense'], '--nonsense'],
])('%j is refused with what is allowed', (args, message) => {
  expect(() => parseSoakOptions(args)).toThrow(message);
});
