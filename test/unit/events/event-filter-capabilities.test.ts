import { expect, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { eventFilterCapabilities } from '../../../src/events/capabilities.ts';

const configured = { events: true, missingSetting: 'LEDGER_RPC_URL' };
const missing = (profile: Parameters<typeof eventFilterCapabilities>[0]) =>
  eventFilterCapabilities(profile, configured)
    .filter(({ available }) => !available)
    .map(({ name }) => name);

test('each network lacks some filters, and says so', () => {
  expect(missing(networkProfiles.ledger)).toEqual(['eventFilter:package', 'eventFilter:moveEventType']);
  expect(missing(networkProfiles.iota)).toEqual([
    'eventFilter:moveEvent',
    'eventFilter:recipient',
    'eventFilter:object',
  ]);
  expect(eventFilterCapabilities(networkProfiles.sui, configured)).toContainEqual({
    name: 'eventFilter:object',
    available: false,
    reason: "The nodes of network 'sui' have no such filter.",
  });
});

test('what is available has no reason', () => {
  expect(eventFilterCapabilities(networkProfiles.ledger, configured)[0]).toEqual({
    name: 'eventFilter:all',
    available: true,
    reason: null,
  });
});

test('without an events upstream none is available, and the setting is named', () => {
  const capabilities = eventFilterCapabilities(networkProfiles.ledger, { ...configured, events: false });
  expect(capabilities.every(({ available }) => !available)).toBe(true);
  expect(capabilities[0]?.reason).toContain('LEDGER_RPC_URL');
});
