import { describe, expect, test } from 'vitest';
import { createDevnetAccounts } from '../../../../src/devnet/genesis/accounts.ts';
import { createActivity } from '../../../../src/devnet/genesis/activity.ts';
import { createDevnetContracts } from '../../../../src/devnet/genesis/contracts.ts';
import { createQueries } from '../../../../src/devnet/rpc/queries.ts';
import { startCheckpointClock } from '../../../../src/devnet/state/checkpoint-clock.ts';
import type { HistoryRetention } from '../../../../src/devnet/state/kept-history.ts';
import { createLedger } from '../../../../src/devnet/state/ledger.ts';
import type { TransactionRecord } from '../../../../src/devnet/state/records.ts';

const seed = 5;

/** A ledger whose users act in every checkpoint, and whose clock is moved by hand. */
function startLife(retention?: Partial<HistoryRetention>) {
  let now = 1_800_000_000_000;
  const ledger = createLedger({
    seed,
    clock: () => now,
    genesis: { checkpoints: 5, checkpointsPerEpoch: 100, sponsorCoins: 2 },
    availableCheckpoints: 10,
    ...(retention && { retention }),
  });
  const accounts = createDevnetAccounts(seed);
  const activity = createActivity({
    ledger,
    accounts,
    contracts: createDevnetContracts(seed),
    seed,
    sequenceSeed: seed + 1,
  });
  const clock = startCheckpointClock({
    ledger,
    intervalMs: 0,
    onInterval: () => {
      now += 500;
    },
    checkpointsPerEpoch: 50,
    activity: { next: activity.next, everyCheckpoints: 1 },
  });
  const live = (checkpoints: number) => {
    for (let count = checkpoints; count > 0; count -= 1) clock.tick();
  };
  return { ledger, accounts, live };
}

const withSignatures = (record: TransactionRecord) => ({ ...record, signatures: record.signatures() });
const sequences = (records: readonly { readonly sequence: number }[]) => records.map(({ sequence }) => sequence);

describe('a ledger with a bounded history', () => {
  const short = startLife({ checkpoints: 32 });
  const long = startLife();
  short.live(400);
  long.live(400);
  const newest = long.ledger.latestCheckpoint().sequenceNumber;
  const first = short.ledger.firstCheckpoint();

  test('has the same state as one that keeps everything', () => {
    expect(short.ledger.latestCheckpoint()).toEqual(long.ledger.latestCheckpoint());
    expect(short.ledger.latestEpoch()).toEqual(long.ledger.latestEpoch());
    expect(short.ledger.liveObjects(newest)).toEqual(long.ledger.liveObjects(newest));
    for (const { address } of short.accounts.users)
      expect(short.ledger.ownedObjects(address, newest)).toEqual(long.ledger.ownedObjects(address, newest));
  });

  test('keeps the newest part of the history under the same numbers, and nothing before', () => {
    expect(long.ledger.firstCheckpoint()).toBe(0);
    expect(newest - first + 1).toBeGreaterThanOrEqual(32);
    expect(newest - first + 1).toBeLessThanOrEqual(34);
    expect(short.ledger.checkpoint(first - 1)).toBeUndefined();
    for (let at = first; at <= newest; at += 1) expect(short.ledger.checkpoint(at)).toEqual(long.ledger.checkpoint(at));
    const { firstTransaction } = short.ledger.checkpoint(first)!;
    const signed = short.ledger.transactions.map(withSignatures);
    expect(signed).toEqual(long.ledger.transactions.slice(firstTransaction).map(withSignatures));
    const [firstEvent] = sequences(short.ledger.events);
    expect(short.ledger.events).toEqual(long.ledger.events.slice(firstEvent));
    for (const { digest } of long.ledger.transactions)
      expect(short.ledger.transaction(digest)?.sequence ?? -1).toBeOneOf([-1, ...sequences(short.ledger.transactions)]);
    expect(short.ledger.transaction(long.ledger.transactions[0]!.digest)).toBeUndefined();
    expect(short.ledger.checkpointByDigest(long.ledger.checkpoint(0)!.digest)).toBeUndefined();
    expect(short.ledger.epoch(0)).toBeUndefined();
    expect(short.ledger.epoch(long.ledger.checkpoint(first)!.epoch)).toEqual(
      long.ledger.epoch(long.ledger.checkpoint(first)!.epoch),
    );
  });

  test('reads objects at every checkpoint it keeps, inputs of its transactions too', () => {
    for (let at = first; at <= newest; at += 1)
      expect(short.ledger.liveObjects(at), `at ${at}`).toEqual(long.ledger.liveObjects(at));
    for (const { inputObjects } of short.ledger.transactions)
      for (const { objectId, version } of inputObjects)
        expect(short.ledger.object(objectId, { version })?.version).toBe(version);
    const clock = short.ledger.objectVersions(`0x${'6'.padStart(64, '0')}`);
    expect(clock.length).toBeLessThanOrEqual(newest - first + 2);
  });

  test('answers queries by key, time and cursor like one that never had more', () => {
    const queries = createQueries(short.ledger);
    const all = createQueries(long.ledger);
    const [oldest] = short.ledger.events;
    const before = long.ledger.events[oldest!.sequence - 1]!;
    const cursor = { txDigest: before.txDigest, eventSeq: String(before.eventSeq) };
    const { address } = short.accounts.users[0];
    const filters = [{ All: [] }, { Sender: address }, { TimeRange: { startTime: 0, endTime: oldest!.timestampMs } }];
    for (const filter of filters)
      expect(queries.queryEvents([filter, null, 50])).toEqual(all.queryEvents([filter, cursor, 50]));
    expect(queries.queryEvents([filters[1], null, 50, true])).toMatchObject({ data: { length: expect.any(Number) } });
    expect(() => queries.queryEvents([filters[0], cursor])).toThrow('Could not find the referenced transaction');
    // The index is cut as the history moves on under it.
    short.live(100);
    long.live(100);
    const later = { txDigest: '', eventSeq: '' };
    const anchor = long.ledger.events[short.ledger.events[0]!.sequence - 1]!;
    Object.assign(later, { txDigest: anchor.txDigest, eventSeq: String(anchor.eventSeq) });
    for (const filter of filters.slice(0, 2))
      expect(queries.queryEvents([filter, null, 50])).toEqual(all.queryEvents([filter, later, 50]));
  });
});

test('a history is also bounded in bytes, and its newest checkpoint is always kept', () => {
  const { ledger, live } = startLife({ bytes: 200_000 });
  live(60);
  const kept = ledger.latestCheckpoint().sequenceNumber - ledger.firstCheckpoint() + 1;
  expect(kept).toBeGreaterThan(3);
  expect(kept).toBeLessThan(40);
  live(60);
  expect(ledger.latestCheckpoint().sequenceNumber - ledger.firstCheckpoint() + 1).toBeLessThan(40);
  // Live objects can be read no further back than anything else.
  expect(ledger.firstAvailableCheckpoint()).toBeGreaterThanOrEqual(ledger.firstCheckpoint());

  const tiny = startLife({ bytes: 1 });
  tiny.live(3);
  expect(tiny.ledger.firstCheckpoint()).toBe(tiny.ledger.latestCheckpoint().sequenceNumber);
});

test('users who act for days leave no more behind than after some hours', () => {
  const { ledger, live } = startLife({ checkpoints: 20 });
  const size = () => {
    const objects = ledger.liveObjects(ledger.latestCheckpoint().sequenceNumber);
    return { live: objects.length, transactions: ledger.transactions.length };
  };
  live(600);
  const early = size();
  live(600);
  const late = size();
  expect(late.live).toBeLessThan(early.live * 1.3);
  expect(late.transactions).toBeLessThan(early.transactions * 1.2);
});
