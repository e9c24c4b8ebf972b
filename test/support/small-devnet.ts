import { createDevnetAccounts, type DevnetAccounts } from '../../src/devnet/genesis/accounts.ts';
import { createDevnetContracts, type DevnetContracts } from '../../src/devnet/genesis/contracts.ts';
import type { GenesisOptions } from '../../src/devnet/genesis/genesis-options.ts';
import { createLedger } from '../../src/devnet/state/ledger.ts';
import type { ExecutionOutcome, Ledger } from '../../src/devnet/state/ledger-state.ts';
import type { ObjectRecord, TransactionRecord } from '../../src/devnet/state/records.ts';
import { encodeTransactionData } from '../../src/devnet/transactions/encode-transaction.ts';
import type { Keypair } from '../../src/devnet/transactions/keypair.ts';
import {
  createProgrammableBuilder,
  type ProgrammableBuilder,
} from '../../src/devnet/transactions/programmable-builder.ts';
import { signTransaction } from '../../src/devnet/transactions/signature.ts';
import type { AnyTransactionData } from '../../src/devnet/transactions/system-transaction.ts';
import type { ObjectRef } from '../../src/transactions/transaction-bcs.ts';

export interface SmallDevnet {
  readonly ledger: Ledger;
  readonly accounts: DevnetAccounts;
  readonly contracts: DevnetContracts;
  readonly alice: Keypair;
  readonly bob: Keypair;
  /** Milliseconds; a test moves it. */
  now: number;
  /** Native coins of an address, richest first, at their newest versions. */
  coins(address: string): ObjectRecord[];
  /** A transaction of Alice, paid with her richest coin by default. */
  build(commands: (builder: ProgrammableBuilder) => void, changes?: DataChanges): AnyTransactionData;
  /** Signs as the sender (or as given) and executes. */
  execute(data: AnyTransactionData, signers?: readonly Keypair[]): ExecutionOutcome;
  /** Builds, signs and executes; expects success. */
  run(commands: (builder: ProgrammableBuilder) => void, changes?: DataChanges): TransactionRecord;
}

export interface DataChanges {
  readonly sender?: string;
  readonly expirationEpoch?: number | null;
  readonly gas?: Partial<AnyTransactionData['gas']>;
}

export const seed = 11;

/** A ledger with little more than a genesis, whose clock a test moves. */
export function createSmallDevnet(genesis: Partial<GenesisOptions> = {}): SmallDevnet {
  const accounts = createDevnetAccounts(seed);
  const [alice, bob] = accounts.users as unknown as [Keypair, Keypair];
  const everyone = [...accounts.users, accounts.sponsor, accounts.patron, accounts.visitor];
  const clock = { now: 1_800_000_000_000 };
  const ledger = createLedger({
    seed,
    clock: () => clock.now,
    genesis: { checkpoints: 1, sponsorCoins: 4, ...genesis },
  });

  const coins = (address: string) =>
    ledger
      .ownedObjects(address, ledger.latestCheckpoint().sequenceNumber)
      .flatMap(({ objectId }) => ledger.currentObject(objectId) ?? [])
      .filter((object) => object.type.endsWith(`<${ledger.nativeCoinType}>`))
      .sort((left, right) => Number((right.balance ?? 0n) - (left.balance ?? 0n)));

  const build: SmallDevnet['build'] = (commands, changes = {}) => {
    const builder = createProgrammableBuilder();
    commands(builder);
    const payer = changes.gas?.owner ?? changes.sender ?? alice.address;
    const payment = coins(payer).slice(0, 1).map(toRef);
    return {
      kind: builder.build(),
      sender: changes.sender ?? alice.address,
      gas: { payment, owner: payer, price: ledger.referenceGasPrice, budget: 50_000_000n, ...changes.gas },
      expirationEpoch: changes.expirationEpoch ?? null,
    };
  };

  const execute: SmallDevnet['execute'] = (data, signers) => {
    const bytes = encodeTransactionData(data);
    const addresses = [...new Set([data.sender, data.gas.owner])];
    const keys = signers ?? everyone.filter(({ address }) => addresses.includes(address));
    return ledger.execute(
      bytes,
      keys.map((key) => signTransaction(key, bytes)),
    );
  };

  return {
    ledger,
    accounts,
    contracts: createDevnetContracts(seed),
    alice,
    bob,
    get now() {
      return clock.now;
    },
    set now(value) {
      clock.now = value;
    },
    coins,
    build,
    execute,
    run(commands, changes) {
      const outcome = execute(build(commands, changes));
      if (outcome.kind === 'refused') throw new Error(outcome.message);
      return outcome.transaction;
    },
  };
}

export function toRef({ objectId, version, digest }: ObjectRef): ObjectRef {
  return { objectId, version, digest };
}
