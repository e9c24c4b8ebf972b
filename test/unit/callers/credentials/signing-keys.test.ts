import { errors, type JSONWebKeySet } from 'jose';
import { expect, test } from 'vitest';
import { createSigningKeys, KeysUnavailableError } from '../../../../src/callers/credentials/signing-keys.ts';
import { createSigningKey, type SigningKey } from '../../../support/token-issuer.ts';

const [first, second] = await Promise.all([createSigningKey('first'), createSigningKey('second')]);

/** An issuer and a clock that are whatever the test says. */
function start(...published: SigningKey[]) {
  const world = { published, isAway: false, hangs: false, nowMs: 1_000_000, asked: 0, told: [] as unknown[] };
  const keys = createSigningKeys({
    fetchKeys: async () => {
      world.asked += 1;
      if (world.hangs) return new Promise<never>(() => {});
      if (world.isAway) throw new Error('ECONNREFUSED');
      return { keys: world.published.map(({ jwk }) => jwk) } as JSONWebKeySet;
    },
    events: {
      lost: (reason) => world.told.push(reason),
      back: () => world.told.push('back'),
      replaced: (count) => world.told.push(count),
    },
    now: () => world.nowMs,
  });
  /** What becomes of a token that names this key. */
  const ask = async (kid: string) => {
    try {
      await keys.keyFor({ alg: 'ES256', kid }, { payload: '', signature: '' });
      return 'found';
    } catch (error) {
      if (error instanceof KeysUnavailableError) return 'away';
      return error instanceof errors.JWKSNoMatchingKey ? 'unknown' : error;
    }
  };
  const pass = (seconds: number) => {
    world.nowMs += seconds * 1_000;
  };
  return { world, ask, pass };
}

test('are read when a token needs them, once for concurrent tokens, and again when they are old', async () => {
  const { world, ask, pass } = start(first);
  expect(await Promise.all([ask('first'), ask('first'), ask('first')])).toEqual(['found', 'found', 'found']);
  expect(world.asked).toBe(1);
  pass(299);
  await ask('first');
  expect(world.asked).toBe(1);
  pass(1);
  await ask('first');
  expect([world.asked, world.told]).toEqual([2, [1]]);
});

test('an unknown key id triggers a read immediately, but at most once in half a minute', async () => {
  const { world, ask, pass } = start(first);
  await ask('first');
  pass(30);
  world.published = [first, second];
  expect(await ask('second')).toBe('found');
  expect(world.asked).toBe(2);
  for (let count = 0; count < 1_000; count += 1) expect(await ask(`made-up-${count}`)).toBe('unknown');
  expect(world.asked).toBe(2);
  pass(30);
  await Promise.all(Array.from({ length: 1_000 }, (_, count) => ask(`made-up-${count}`)));
  expect([world.asked, world.told]).toEqual([3, [1, 2]]);
});

test('a withdrawn key is accepted for at most five more minutes', async () => {
  const { world, ask, pass } = start(first, second);
  await ask('first');
  world.published = [second];
  pass(299);
  expect(await ask('first')).toBe('found');
  pass(1);
  expect(await ask('first')).toBe('unknown');
});

test('while the issuer is unavailable, known keys stay valid for a day, and unknown keys are not called invalid', async () => {
  const { world, ask, pass } = start(first);
  await ask('first');
  world.isAway = true;
  pass(600);
  expect([await ask('first'), await ask('second')]).toEqual(['found', 'away']);
  pass(85_000);
  expect(await ask('first')).toBe('found');
  pass(800);
  expect(await ask('first')).toBe('away');
  expect(world.told).toEqual([1, 'ECONNREFUSED']);
  world.isAway = false;
  world.published = [second];
  pass(5);
  expect([await ask('first'), await ask('second')]).toEqual(['unknown', 'found']);
  expect(world.told).toEqual([1, 'ECONNREFUSED', 'back', 1]);
});

test('while the issuer is known to be unavailable, tokens with known keys do not wait', async () => {
  const { world, ask, pass } = start(first);
  await ask('first');
  world.isAway = true;
  pass(600);
  await ask('first');
  pass(5);
  world.hangs = true;
  const asked = world.asked;
  expect(await ask('first')).toBe('found');
  expect(world.asked).toBe(asked + 1);
});

test('if they could never be read, all tokens are rejected, and the issuer is called every five seconds', async () => {
  const { world, ask, pass } = start(first);
  world.isAway = true;
  for (let count = 0; count < 100; count += 1) expect(await ask('first')).toBe('away');
  expect(world.asked).toBe(1);
  pass(5);
  world.isAway = false;
  expect([await ask('first'), world.asked]).toEqual(['found', 2]);
});

test('setting the clock back blocks nothing', async () => {
  const { world, ask, pass } = start(first);
  await ask('first');
  pass(-100_000);
  world.published = [first, second];
  expect(await ask('second')).toBe('found');
});
