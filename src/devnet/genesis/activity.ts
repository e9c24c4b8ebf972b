import { toCoinType } from '../execution/move-object.ts';
import type { LedgerReader } from '../state/ledger-state.ts';
import type { ObjectRecord } from '../state/records.ts';
import { encodeTransactionData } from '../transactions/encode-transaction.ts';
import type { Keypair } from '../transactions/keypair.ts';
import { createProgrammableBuilder, type ProgrammableBuilder } from '../transactions/programmable-builder.ts';
import { signTransaction } from '../transactions/signature.ts';
import type { AnyTransactionData } from '../transactions/system-transaction.ts';
import type { DevnetAccounts } from './accounts.ts';
import type { DevnetContracts } from './contracts.ts';
import { toSharedIds } from './genesis-objects.ts';
import { recipes } from './recipes.ts';
import { createSeededRandom } from './seeded-random.ts';

export interface SignedTransaction {
  readonly data: AnyTransactionData;
  readonly bytes: Uint8Array;
  /** Signs with each call: most of the history's signatures are never read. */
  readonly signatures: () => readonly string[];
}

export interface ActivityOptions {
  readonly ledger: Pick<
    LedgerReader,
    'currentObject' | 'ownedObjects' | 'latestCheckpoint' | 'nativeCoinType' | 'referenceGasPrice'
  >;
  readonly accounts: DevnetAccounts;
  readonly contracts: DevnetContracts;
  /** The ledger's seed: the ids of the shared objects follow from it. */
  readonly seed: number;
  /** Seed of the users' choices; another one gives other transactions. */
  readonly sequenceSeed: number;
}

const budget = 50_000_000n;
/** One transaction in this many asks for more than there is, and fails. */
const failureOdds = 40;
/** One transaction in this many is paid for by the patron. */
const patronOdds = 15;

/** An endless seeded sequence of the users' transactions, each built on the ledger as it is when asked for. */
export function createActivity(options: ActivityOptions): { next(): SignedTransaction } {
  const { ledger, accounts, contracts, seed } = options;
  const random = createSeededRandom(options.sequenceSeed);
  const shared = toSharedIds(seed);
  /** Each account's purse: the coin that was its richest when first needed, which pays for everything it does. */
  const purses = new Map<string, string>();

  const owned = (address: string): ObjectRecord[] =>
    ledger.ownedObjects(address, ledger.latestCheckpoint().sequenceNumber).flatMap(({ objectId }) => {
      const current = ledger.currentObject(objectId);
      return current?.owner.kind === 'address' && current.owner.address === address ? [current] : [];
    });

  const coinsOf = (address: string, coinType: string): ObjectRecord[] =>
    owned(address)
      .filter((object) => toCoinType(object.type) === coinType)
      .sort((left, right) => Number((right.balance ?? 0n) - (left.balance ?? 0n)));

  const purseOf = (address: string): ObjectRecord => {
    const known = purses.get(address);
    const coin = (known ? ledger.currentObject(known) : undefined) ?? coinsOf(address, ledger.nativeCoinType)[0];
    if (!coin) throw new RangeError(`${address} has no coin to pay gas with`);
    purses.set(address, coin.objectId);
    return coin;
  };

  return {
    next() {
      const sender = random.pick(accounts.users);
      const friend = random.pick(accounts.users).address;
      const builder = createProgrammableBuilder();
      const coins = (coinType: string) =>
        coinsOf(sender.address, coinType).filter(({ objectId }) => objectId !== purses.get(sender.address));
      const purse = purseOf(sender.address);
      if (random.integer(1, failureOdds) === 1) {
        builder.transfer([builder.split(builder.gasCoin, builder.u64(10n ** 17n))], friend);
      } else {
        const count = (type: string) => owned(sender.address).filter((object) => object.type === type).length;
        const native = coins(ledger.nativeCoinType);
        random.pick(recipes)({
          builder,
          random,
          contracts,
          shared,
          sender: sender.address,
          friend,
          coins,
          native,
          count,
        });
      }
      const payer = random.integer(1, patronOdds) === 1 ? accounts.patron : sender;
      const coin = payer === sender ? purse : purseOf(payer.address);
      return sign(builder, sender, payer, coin, ledger.referenceGasPrice);
    },
  };
}

function sign(
  builder: ProgrammableBuilder,
  sender: Keypair,
  payer: Keypair,
  coin: ObjectRecord,
  price: bigint,
): SignedTransaction {
  const { objectId, version, digest } = coin;
  const data: AnyTransactionData = {
    kind: builder.build(),
    sender: sender.address,
    gas: { payment: [{ objectId, version, digest }], owner: payer.address, price, budget },
    expirationEpoch: null,
  };
  const bytes = encodeTransactionData(data);
  const signers = payer === sender ? [sender] : [sender, payer];
  return { data, bytes, signatures: () => signers.map((signer) => signTransaction(signer, bytes)) };
}
