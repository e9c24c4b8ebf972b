import { hash256, parseDigest } from '../../transactions/digest.ts';
import { createDevnetAccounts } from '../genesis/accounts.ts';
import { createActivity } from '../genesis/activity.ts';
import { createDevnetContracts } from '../genesis/contracts.ts';
import { createCoinMetadata, createGenesisObjects, nativeCoinType } from '../genesis/genesis-objects.ts';
import { defaultGenesisOptions, type GenesisOptions } from '../genesis/genesis-options.ts';
import { writeHistory } from '../genesis/write-history.ts';
import { parseTypeTag, toTypeText } from '../transactions/type-text.ts';
import type { HistoryRetention } from './kept-history.ts';
import { createLedgerRuntime } from './ledger-runtime.ts';
import type { Clock, Ledger } from './ledger-state.ts';

export interface LedgerOptions {
  /** Same seed and same clock: same digests. Default 1. */
  readonly seed?: number;
  readonly clock: Clock;
  readonly genesis?: Partial<GenesisOptions>;
  /**
   * How many checkpoints behind the newest live objects can still be read at. Default 300: five minutes, as on
   * mainnets.
   */
  readonly availableCheckpoints?: number;
  /** How much history is kept. Default 7200 checkpoints (an hour of two a second), 128 MiB at most. */
  readonly retention?: Partial<HistoryRetention>;
}

export const defaultSeed = 1;
const referenceGasPrice = 1000n;
const defaultRetention: HistoryRetention = { checkpoints: 7_200, bytes: 128 * 1024 * 1024 };

/** A ledger in memory that already has a history, ending just before the clock's now. */
export function createLedger(options: LedgerOptions): Ledger {
  const { ledger, completeHistory } = createLedgerWithoutHistory(options);
  completeHistory();
  return ledger;
}

export interface DeferredLedger {
  /** The first read or write completes the history. */
  readonly ledger: Ledger;
  /** Writes history for about this many milliseconds. @returns whether there is more to write */
  writeHistoryFor(ms: number): boolean;
  hasHistory(): boolean;
}

/** The same ledger, but its history, which takes most of a start's time, is written later. */
export function createDeferredLedger(options: LedgerOptions): DeferredLedger {
  const { ledger, history, completeHistory, hasHistory } = createLedgerWithoutHistory(options);
  const afterHistory = <Member>(member: Member): Member => {
    completeHistory();
    return member;
  };
  const members = Object.entries(ledger).map(([name, member]): readonly [string, PropertyDescriptor] => {
    if (typeof member === 'function') {
      return [
        name,
        { enumerable: true, value: (...args: unknown[]) => Reflect.apply(afterHistory(member), ledger, args) },
      ];
    }
    // The lists grow with the history; names and prices are known before it.
    return [
      name,
      typeof member === 'object'
        ? { enumerable: true, get: () => afterHistory(member) }
        : { enumerable: true, value: member },
    ];
  });
  return {
    ledger: Object.defineProperties({}, Object.fromEntries(members)) as Ledger,
    writeHistoryFor(ms) {
      const endMs = performance.now() + ms;
      while (performance.now() < endMs) if (history.next().done) return false;
      return true;
    },
    hasHistory,
  };
}

function createLedgerWithoutHistory({
  seed = defaultSeed,
  clock,
  genesis,
  availableCheckpoints = 300,
  retention,
}: LedgerOptions) {
  const options = { ...defaultGenesisOptions, ...genesis };
  const accounts = createDevnetAccounts(seed);
  const contracts = createDevnetContracts(seed);
  const startMs = clock() - options.checkpoints * options.checkpointIntervalMs;

  /** The time in the history while it is written; the real clock afterwards. */
  const time = { read: (): number => startMs };
  const runtime = createLedgerRuntime({
    clock: () => time.read(),
    referenceGasPrice,
    nativeCoinType,
    availableCheckpoints,
    retention: { ...defaultRetention, ...retention },
    describeCall: contracts.describeCall,
  });
  const genesisCheckpoint = runtime.writeGenesis(
    createGenesisObjects({ seed, accounts, contracts, options, startMs, referenceGasPrice }),
  );
  const activity = createActivity({ ledger: runtime, accounts, contracts, seed, sequenceSeed: seed });
  const written = writeHistory({
    runtime,
    activity,
    options,
    setTime: (checkpoint) => {
      const atMs = startMs + checkpoint * options.checkpointIntervalMs;
      time.read = () => atMs;
    },
  });
  let hasHistory = false;
  /** Ends with the real clock in force. */
  const history = (function* () {
    yield* written;
    time.read = clock;
    hasHistory = true;
  })();

  const metadata = new Map(createCoinMetadata({ seed, contracts }).map((record) => [record.coinType, record]));
  const { writeGenesis: _genesis, executeTrusted: _trusted, ...ledger } = runtime;
  const complete: Ledger = {
    ...ledger,
    chainIdentifier: Buffer.from(parseDigest(genesisCheckpoint.digest)).toString('hex', 0, 4),
    buildVersion: `2026.11.0-${Buffer.from(hash256(Buffer.from(`devnet build ${seed}`))).toString('hex', 0, 6)}`,
    coinMetadata: (coinType) => metadata.get(toCanonicalType(coinType)),
  };
  const completeHistory = (): void => {
    while (!history.next().done);
  };
  return { ledger: complete, history, completeHistory, hasHistory: () => hasHistory };
}

function toCanonicalType(type: string): string {
  try {
    return toTypeText(parseTypeTag(type));
  } catch {
    return type;
  }
}
