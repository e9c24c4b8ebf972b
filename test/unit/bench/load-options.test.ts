import { expect, test } from 'vitest';
import { parseLoadOptions } from '../../bench/load/load-options.ts';

const parse = (...args: string[]) => parseLoadOptions(args, ['W1', 'W2']);

test('nothing asked for is everything, in nine rounds of one second, by three processes each', () => {
  expect(parse()).toMatchObject({
    only: [],
    seconds: 1,
    requests: null,
    repeat: 9,
    processes: 3,
    rateLimit: true,
    nginx: false,
  });
});

test('every option is read', () => {
  const args =
    '--only W2,W1 --requests 50 --repeat 1 --rate-limit off --peers --nginx --no-naive --latency 0 --json out.json';
  expect(parse(...args.split(' '))).toMatchObject({
    only: ['W2', 'W1'],
    requests: 50,
    repeat: 1,
    rateLimit: false,
    peers: true,
    nginx: true,
    latencyRounds: 0,
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

test('no more are in flight than there are requests that differ', () => {
  expect(() => parse('--concurrency', '65')).toThrow('--concurrency takes a whole number from 1 to 64');
});
