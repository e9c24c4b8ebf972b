import { expect, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { createFilterSupport } from '../../../src/events/filter-support.ts';

test('a rejected filter is offered again after ten minutes, or on another network', () => {
  let now = 0;
  const { events } = networkProfiles.ledger;
  const support = createFilterSupport(events, () => now);
  support.reject('sender');
  expect([support.isRejected('sender'), support.filters().sender]).toEqual([true, null]);
  now = 600_000;
  expect(support.isRejected('sender')).toBe(false);
  support.reject('sender');
  support.forget();
  expect([support.isRejected('sender'), support.filters()]).toEqual([false, events.filters]);
});
