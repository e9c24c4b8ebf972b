import { expect, test } from 'vitest';
import { startDevnet } from '../../../../src/devnet/start-devnet.ts';
import { createDeferredLedger, createLedger } from '../../../../src/devnet/state/ledger.ts';
import { until } from '../../../support/until.ts';

const options = { clock: () => 1_800_000_000_000, genesis: { checkpoints: 40, sponsorCoins: 3 } };
const whole = createLedger(options);

test('a ledger with a deferred history has the same history, whatever is read first', () => {
  const readers: ((ledger: typeof whole) => unknown)[] = [
    (ledger) => ledger.latestCheckpoint(),
    (ledger) => ledger.transactions.length,
    (ledger) => ledger.events.at(-1),
    (ledger) => ledger.hasPending(),
    (ledger) => ledger.closeCheckpoint().sequenceNumber,
  ];
  for (const read of readers) {
    const { ledger, hasHistory } = createDeferredLedger(options);
    expect([ledger.chainIdentifier, ledger.buildVersion]).toEqual([whole.chainIdentifier, whole.buildVersion]);
    expect(hasHistory()).toBe(false);
    expect(read(ledger)).toEqual(read(createLedger(options)));
    expect(hasHistory()).toBe(true);
    expect(ledger.checkpoint(39)).toEqual(whole.checkpoint(39));
  }
});

test('it may be written in parts, with reads in between', () => {
  const { ledger, writeHistoryFor, hasHistory } = createDeferredLedger(options);
  expect(writeHistoryFor(0.01)).toBe(true);
  expect(hasHistory()).toBe(false);
  expect(ledger.latestCheckpoint()).toEqual(whole.latestCheckpoint());
  expect([writeHistoryFor(1_000), hasHistory()]).toEqual([false, true]);
});

test('a network writes a deferred history while it serves, and closes checkpoints after it', async () => {
  const genesis = { checkpoints: 20, sponsorCoins: 3 };
  await using devnet = await startDevnet({
    sponsorToken: 't',
    genesis,
    checkpointIntervalMs: 20,
    isHistoryDeferred: true,
  });
  void devnet.writeHistory();
  await until(() => devnet.ledger.latestCheckpoint().sequenceNumber > 22, 'checkpoints follow the history');
  expect(devnet.sponsor.freeCoins()).toBe(3);
});
