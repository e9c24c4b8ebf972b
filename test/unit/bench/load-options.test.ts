import { expect, test } from 'vitest';
import { parseLoadOptions } from '../../bench/load/load-options.ts';

const parse = (...args: string[]) => parseLoadOptions(args, ['W1', 'W2']);

test('nothing asked for is everything, in three rounds of three seconds', () => {
  expect(parse()).toMatchObject({ only: [], seconds: 3, requests: null, repeat: 3, rateLimit: true, peers: false });
});

test('every option is read', () => {
  const args = '--only W2,W1 --requests 50 --repeat 1 --rate-limit off --peers --no-naive --json out.json';
  expect(parse(...args.split(' '))).toMatchObject({
    only: ['W2', 'W1'],
    requests: 50,
    repeat: 1,
    rateLimit: false,
    peers: true,
    naive: false,
    json: 'out.json',
  });
});

test('help asks for nothing else', () => {
  expect(parse('--help')).toBeNull();
});

test.each([
  [['--only', 'W9'], '--only takes W1, W2; got W9'],
  [['--seconds', '0'], '--seconds takes a whole number from 1 to 1000000; got 0'],
  [['--requests', 'many'], '--requests takes a whole number'],
  [['--rate-limit', 'maybe'], '--rate-limit takes on or off; got maybe'],
  [['--nonsense'], '--nonsense'],
])('%j is refused with what is allowed', (args, message) => {
  expect(() => parse(...args)).toThrow(message);
});

test('there are enough variants that no two requests in flight are the same', () => {
  expect(() => parse('--concurrency', '64', '--variants', '100')).toThrow('--variants takes a whole number from 128');
});
