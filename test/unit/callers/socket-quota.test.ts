import { expect, it } from 'vitest';
import { createSocketQuota } from '../../../src/callers/socket-quota.ts';
import { untilNothingIsLeft } from '../../support/count-live-objects.ts';

const codeFor = (quota: ReturnType<typeof createSocketQuota>, network: string) =>
  quota.refusalFor(network)?.extensions.code ?? null;

it('are limited per network and in total', () => {
  const quota = createSocketQuota({ max: 3, maxPerAddress: 2 });
  quota.take('a');
  quota.take('a');
  expect([codeFor(quota, 'a'), codeFor(quota, 'b')]).toEqual(['RATE_LIMITED', null]);
  quota.take('b');
  expect([codeFor(quota, 'a'), codeFor(quota, 'b')]).toEqual(['RATE_LIMITED', 'UNAVAILABLE']);
});

it('are freed once, even if freed repeatedly', () => {
  const quota = createSocketQuota({ max: 2, maxPerAddress: 1 });
  const share = quota.take('a');
  quota.take('b');
  share.leave();
  share.leave();
  expect(codeFor(quota, 'a')).toBeNull();
  quota.take('a');
  expect([codeFor(quota, 'a'), codeFor(quota, 'c')]).toEqual(['RATE_LIMITED', 'UNAVAILABLE']);
});

it('are freed one by one', () => {
  const quota = createSocketQuota({ max: 9, maxPerAddress: 2 });
  const [first, second] = [quota.take('a'), quota.take('a')];
  first.leave();
  quota.take('a');
  expect(codeFor(quota, 'a')).toBe('RATE_LIMITED');
  second.leave();
  expect(codeFor(quota, 'a')).toBeNull();
});

it('may be limited to none', () => {
  expect(codeFor(createSocketQuota({ max: 0, maxPerAddress: 1 }), 'a')).toBe('UNAVAILABLE');
});

it('leave nothing of their networks behind', async () => {
  const quota = createSocketQuota({ max: 9, maxPerAddress: 9 });
  let opened = 0;
  const openMany = async () => {
    for (let count = 0; count < 10_000; count += 1) quota.take(`network ${opened++}`).leave();
  };
  await expect(untilNothingIsLeft(10_000, openMany)).resolves.toBeUndefined();
});
