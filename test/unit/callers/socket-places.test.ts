import { expect, it } from 'vitest';
import { createSocketPlaces } from '../../../src/callers/socket-places.ts';

const codeFor = (places: ReturnType<typeof createSocketPlaces>, network: string) =>
  places.refusalFor(network)?.extensions.code ?? null;

it('are limited per network and in total', () => {
  const places = createSocketPlaces({ max: 3, maxPerAddress: 2 });
  places.take('a');
  places.take('a');
  expect([codeFor(places, 'a'), codeFor(places, 'b')]).toEqual(['RATE_LIMITED', null]);
  places.take('b');
  expect([codeFor(places, 'a'), codeFor(places, 'b')]).toEqual(['RATE_LIMITED', 'UNAVAILABLE']);
});

it('are freed once, even if freed repeatedly', () => {
  const places = createSocketPlaces({ max: 2, maxPerAddress: 1 });
  const giveBack = places.take('a');
  places.take('b');
  giveBack();
  giveBack();
  expect(codeFor(places, 'a')).toBeNull();
  places.take('a');
  expect([codeFor(places, 'a'), codeFor(places, 'c')]).toEqual(['RATE_LIMITED', 'UNAVAILABLE']);
});

it('may be limited to none', () => {
  expect(codeFor(createSocketPlaces({ max: 0, maxPerAddress: 1 }), 'a')).toBe('UNAVAILABLE');
});
