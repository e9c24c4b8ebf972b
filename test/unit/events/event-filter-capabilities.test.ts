import { expect, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { type EventsSource, filterCapabilities } from '../../../src/events/capabilities.ts';

const { ledger, iota } = networkProfiles;
const missing = (profile: typeof ledger, source: EventsSource) =>
  filterCapabilities(profile, source, null)
    .filter(({ available }) => !available)
    .map(({ name }) => name);

test('each network and source lacks some filters', () => {
  expect(missing(ledger, 'rpc')).toEqual(['eventFilter:package', 'eventFilter:moveEventType']);
  expect(missing(iota, 'rpc')).toEqual(['eventFilter:moveEvent', 'eventFilter:recipient', 'eventFilter:object']);
  expect(missing(iota, 'graphql')).toEqual([
    'eventFilter:moveEvent',
    'eventFilter:recipient',
    'eventFilter:object',
    'transactionFilter:fromOrToAddress',
  ]);
  expect(filterCapabilities(iota, 'rpc', null)).toContainEqual({
    name: 'eventFilter:object',
    available: false,
    reason: "The nodes of network 'iota' have no such filter.",
  });
});

test('an available filter has no reason', () => {
  expect(filterCapabilities(ledger, 'rpc', null)[0]).toEqual({
    name: 'eventFilter:all',
    available: true,
    reason: null,
  });
});

test('without an events upstream none is available, and the setting is named', () => {
  const capabilities = filterCapabilities(ledger, 'rpc', 'LEDGER_RPC_URL is not set');
  expect(capabilities.every(({ available }) => !available)).toBe(true);
  expect(capabilities[0]?.reason).toContain('LEDGER_RPC_URL');
});
