import { expect, test } from 'vitest';
import { parseLiveOptions } from '../../bench/live/live-options.ts';

const parse = (...args: string[]) => parseLiveOptions(args);

test('nothing asked for is every scenario with ten thousand streams', () => {
  const options = parse();
  expect(options).toMatchObject({ subscribers: 10_000, filters: 1_000, json: null });
  expect(options?.scenarios.map(({ id }) => id)).toContain('floor');
});

test('every option is read, and help asks for nothing else', () => {
  const args = '--only sse --subscribers 5 --filters 4 --events 3 --every 2 --json out.json';
  expect(parse(...args.split(' '))).toMatchObject({
    scenarios: [{ id: 'sse' }],
    subscribers: 5,
    filters: 4,
    events: 3,
    everyMs: 2,
    json: 'out.json',
  });
  expect(parse('--help')).toBeNull();
});

test.each([
  ['--only', 'nothing'],
  ['--events', '0'],
  ['--every', 'x'],
])('%s %s is refused', (...args) => {
  expect(() => parse(...args)).toThrow(args[0]);
});
