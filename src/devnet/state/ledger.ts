import { parseDigest } from '../../transactions/digest.ts';
import { hash256 } from '../../transactions/hash256.ts';
import { parseTypeTag, toTypeText } from '../../transactions/type-tag.ts';
import { createDevnetAccounts } from '../genesis/accounts.ts';
import { createActivity } from '../genesis/activity.ts';
import { createDevnetContracts } from '../genesis/contracts.ts';
import { createCoinMetadata, createGenesisObjects, nativeCoinType } from '../genesis/genesis-objects.ts';
import { defaultGenesisOptions, type GenesisOptions } from '../genesis/genesis-options.ts';
import { writeHistory } from '../genesis/write-history.ts';
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
export function createLedger({
  seed = defaultSeed,
  clock,
  genesis,
  availableCheckpoints = 300,
  retention,
}: LedgerOptions): Ledger {
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
  writeHistory({
    runtime,
    activity,
    options,
    setTime: (checkpoint) => {
      const atMs = startMs + checkpoint * options.checkpointIntervalMs;
      time.read = () => atMs;
    },
  });
  time.read = clock;

  const metadata = new Map(createCoinMetadata({ seed, contracts }).map((record) => [record.coinType, record]));
  const { writeGenesis: _genesis, executeTrusted: _trusted, ...ledger } = runtime;
  return {
    ...ledger,
    chainIdentifier: Buffer.from(parseDigest(genesisCheckpoint.digest)).toString('hex', 0, 4),
    buildVersion: `2026.11.0-${Buffer.from(hash256(Buffer.from(`devnet build ${seed}`))).toString('hex', 0, 6)}`,
    coinMetadata: (coinType) => metadata.get(toCanonicalType(coinType)),
  };
}

function toCanonicalType(type: string): string {
  try {
    return toTypeText(parseTypeTag(type));
  } catch {
    return type;
  }
}
