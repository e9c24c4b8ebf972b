import { toCoinType } from '../execution/move-object.ts';
import type { LedgerReader } from '../state/ledger-state.ts';
import type { ObjectRecord } from '../state/records.ts';
import { encodeTransactionData } from '../transactions/encode-transaction.ts';
import type { Keypair } from '../transactions/keypair.ts';
import { createProgrammableBuilder, type ProgrammableBuilder } from '../transactions/programmable-builder.ts';
import { signTransaction } from '../transactions/signature.ts';
import type { TransactionData } from '../transactions/transaction-data.ts';
import type { DevnetAccounts } from './accounts.ts';
import type { DevnetContracts } from './contracts.ts';
import { toSharedIds } from './genesis-objects.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';

export interface SignedTransaction {
  readonly data: TransactionData;
  readonly bytes: Uint8Array;
  readonly signatures: readonly string[];
}

export interface ActivityOptions {
  readonly ledger: Pick<
    LedgerReader,
    'currentObject' | 'ownedObjects' | 'latestCheckpoint' | 'nativeCoinType' | 'referenceGasPrice'
  >;
  readonly accounts: DevnetAccounts;
  readonly contracts: DevnetContracts;
  /** Of the ledger: it names the shared objects. */
  readonly seed: number;
  /** Start of the random sequence; give another to get another story. */
  readonly sequenceSeed: number;
}

const budget = 50_000_000n;
const heroNames = ['Aster', 'Bramble', 'Cinder', 'Dune', 'Ember', 'Flint'] as const;
/** Who has so many of a thing makes no more of it: what is alive is never forgotten, and users act for as long as they run. */
const enoughHeroes = 12;
const enoughCoins = 12;
/** A fortieth of the transactions ask for more than there is, and fail. */
const failureOdds = 40;
/** A fifteenth are paid for by the patron. */
const patronOdds = 15;

/** An endless seeded stream of what the devnet's users do, each built on the ledger as it is when asked for. */
export function createActivity(options: ActivityOptions): { next(): SignedTransaction } {
  const { ledger, accounts, contracts, seed } = options;
  const random = createSeededRandom(options.sequenceSeed);
  const shared = toSharedIds(seed);
  const recipes = createRecipes(contracts, shared);
  /** Each account's purse: its richest native coin at first sight, which pays for everything it does. */
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
        random.pick(recipes)({ builder, random, sender: sender.address, friend, coins, native, count });
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
  const data: TransactionData = {
    kind: builder.build(),
    sender: sender.address,
    gas: { payment: [{ objectId, version, digest }], owner: payer.address, price, budget },
    expirationEpoch: null,
  };
  const bytes = encodeTransactionData(data);
  const signers = payer === sender ? [sender] : [sender, payer];
  return { data, bytes, signatures: signers.map((signer) => signTransaction(signer, bytes)) };
}

interface Scene {
  readonly builder: ProgrammableBuilder;
  readonly random: SeededRandom;
  readonly sender: string;
  readonly friend: string;
  /** The sender's coins of a type, richest first, the one that pays gas left out. */
  coins(coinType: string): readonly ObjectRecord[];
  readonly native: readonly ObjectRecord[];
  /** How many objects of a type the sender owns. */
  count(type: string): number;
}

type Recipe = (scene: Scene) => void;

function createRecipes(
  { packages, goldType, silverType }: DevnetContracts,
  shared: { board: string; pool: string },
): readonly [Recipe, ...Recipe[]] {
  const { market, dex, arena } = packages;
  const times = ({ random }: Scene, act: () => void) => {
    for (let count = random.integer(3, 7); count > 0; count -= 1) act();
  };
  const greet = ({ builder, random }: Scene) =>
    builder.call(`${arena}::battle::greet`, [builder.text(`Hello from ${random.pick(heroNames)}`)]);

  const trade: Recipe = (scene) =>
    times(scene, () => {
      const { builder, random } = scene;
      const pair = random.pick([
        [goldType, silverType],
        [silverType, goldType],
      ] as const);
      const amount = random.integer(1_000, 9_000_000);
      const args = [builder.shared(shared.pool), builder.u64(amount), builder.u64(Math.floor(amount * 0.97))];
      builder.call(`${dex}::pool::swap`, args, pair);
    });

  const provide: Recipe = (scene) => {
    const { builder, random } = scene;
    builder.call(
      `${dex}::pool::add_liquidity`,
      [builder.shared(shared.pool), builder.u64(random.integer(1, 5_000_000))],
      [goldType],
    );
    trade(scene);
  };

  const sell: Recipe = (scene) =>
    times(scene, () => {
      const { builder, random, friend } = scene;
      const action = random.pick([
        'listings::create',
        'listings::create',
        'listings::buy',
        'offers::place_bid',
      ] as const);
      const price = builder.u64(random.integer(10, 5_000) * 1_000_000);
      builder.call(`${market}::${action}`, [builder.shared(shared.board), builder.address(friend), price]);
    });

  const fight: Recipe = (scene) =>
    times(scene, () => {
      const { builder, random, sender, friend } = scene;
      const pair = random.pick([
        [sender, friend],
        [friend, sender],
      ] as const);
      const score = [builder.u64(random.integer(1, 100)), builder.u8(random.integer(1, 12))];
      builder.call(`${arena}::battle::finish`, [...pair.map(builder.address), ...score]);
    });

  const mint: Recipe = (scene) => {
    const { builder, random, sender } = scene;
    if (scene.count(`${arena}::hero::Hero`) >= enoughHeroes) return fight(scene);
    const args = [builder.text(random.pick(heroNames)), builder.u64(random.integer(1, 99))];
    builder.transfer([builder.call(`${arena}::hero::mint`, args)], sender);
    fight(scene);
  };

  const give: Recipe = (scene) => {
    const { builder, random, friend } = scene;
    if (scene.native.length >= enoughCoins) builder.merge(builder.gasCoin, scene.native.slice(1).map(builder.owned));
    else builder.transfer([builder.split(builder.gasCoin, builder.u64(random.integer(1, 900) * 1_000_000))], friend);
    greet(scene);
  };

  const giveGold: Recipe = (scene) => {
    const [coin] = scene.coins(goldType);
    if (!coin) return give(scene);
    const { builder, random, friend } = scene;
    builder.transfer([builder.split(builder.owned(coin), builder.u64(random.integer(1, 20_000)))], friend);
    greet(scene);
    fight(scene);
  };

  const tidy: Recipe = (scene) => {
    const { builder } = scene;
    const [first, ...others] = scene.coins(goldType);
    if (first && others.length > 0) builder.merge(builder.owned(first), others.slice(0, 8).map(builder.owned));
    greet(scene);
    sell(scene);
  };

  return [trade, trade, provide, sell, sell, fight, mint, give, giveGold, tidy];
}
