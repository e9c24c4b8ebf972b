import type { ObjectRecord } from '../state/records.ts';
import type { ProgrammableBuilder } from '../transactions/programmable-builder.ts';
import type { DevnetContracts } from './contracts.ts';
import type { toSharedIds } from './genesis-objects.ts';
import type { SeededRandom } from './seeded-random.ts';

/** The input of a recipe: an empty transaction, and the objects of its sender. */
export interface Scene {
  readonly builder: ProgrammableBuilder;
  readonly random: SeededRandom;
  readonly contracts: DevnetContracts;
  /** Ids of the shared objects that calls take. */
  readonly shared: Pick<ReturnType<typeof toSharedIds>, 'board' | 'pool'>;
  readonly sender: string;
  readonly friend: string;
  /** The sender's coins of a type without the one that pays gas, richest first. */
  coins(coinType: string): readonly ObjectRecord[];
  /** The sender's native coins, likewise. */
  readonly native: readonly ObjectRecord[];
  /** How many objects of a type the sender owns. */
  count(type: string): number;
}

/** Adds the commands of one kind of transaction. */
export type Recipe = (scene: Scene) => void;

const heroNames = ['Aster', 'Bramble', 'Cinder', 'Dune', 'Ember', 'Flint'] as const;
/** Users who own this many make no more: live objects are never forgotten, and users act as long as the devnet runs. */
const enoughHeroes = 12;
const enoughCoins = 12;

const times = ({ random }: Scene, act: () => void) => {
  for (let count = random.integer(3, 7); count > 0; count -= 1) act();
};
const greet = (scene: Scene) => {
  const { builder, random } = scene;
  builder.call(`${scene.contracts.packages.arena}::battle::greet`, [
    builder.text(`Hello from ${random.pick(heroNames)}`),
  ]);
};

const trade: Recipe = (scene) =>
  times(scene, () => {
    const { builder, random } = scene;
    const { goldType, silverType } = scene.contracts;
    const pair = random.pick([
      [goldType, silverType],
      [silverType, goldType],
    ] as const);
    const amount = random.integer(1_000, 9_000_000);
    const args = [builder.shared(scene.shared.pool), builder.u64(amount), builder.u64(Math.floor(amount * 0.97))];
    builder.call(`${scene.contracts.packages.dex}::pool::swap`, args, pair);
  });

const provide: Recipe = (scene) => {
  const { builder, random } = scene;
  builder.call(
    `${scene.contracts.packages.dex}::pool::add_liquidity`,
    [builder.shared(scene.shared.pool), builder.u64(random.integer(1, 5_000_000))],
    [scene.contracts.goldType],
  );
  trade(scene);
};

const sell: Recipe = (scene) =>
  times(scene, () => {
    const { builder, random, friend } = scene;
    const action = random.pick(['listings::create', 'listings::create', 'listings::buy', 'offers::place_bid'] as const);
    const price = builder.u64(random.integer(10, 5_000) * 1_000_000);
    builder.call(`${scene.contracts.packages.market}::${action}`, [
      builder.shared(scene.shared.board),
      builder.address(friend),
      price,
    ]);
  });

const fight: Recipe = (scene) =>
  times(scene, () => {
    const { builder, random, sender, friend } = scene;
    const pair = random.pick([
      [sender, friend],
      [friend, sender],
    ] as const);
    const score = [builder.u64(random.integer(1, 100)), builder.u8(random.integer(1, 12))];
    builder.call(`${scene.contracts.packages.arena}::battle::finish`, [...pair.map(builder.address), ...score]);
  });

const mint: Recipe = (scene) => {
  const { builder, random, sender } = scene;
  if (scene.count(`${scene.contracts.packages.arena}::hero::Hero`) >= enoughHeroes) return fight(scene);
  const args = [builder.text(random.pick(heroNames)), builder.u64(random.integer(1, 99))];
  builder.transfer([builder.call(`${scene.contracts.packages.arena}::hero::mint`, args)], sender);
  fight(scene);
};

const give: Recipe = (scene) => {
  const { builder, random, friend } = scene;
  if (scene.native.length >= enoughCoins) builder.merge(builder.gasCoin, scene.native.slice(1).map(builder.owned));
  else builder.transfer([builder.split(builder.gasCoin, builder.u64(random.integer(1, 900) * 1_000_000))], friend);
  greet(scene);
};

const giveGold: Recipe = (scene) => {
  const [coin] = scene.coins(scene.contracts.goldType);
  if (!coin) return give(scene);
  const { builder, random, friend } = scene;
  builder.transfer([builder.split(builder.owned(coin), builder.u64(random.integer(1, 20_000)))], friend);
  greet(scene);
  fight(scene);
};

const tidy: Recipe = (scene) => {
  const { builder } = scene;
  const [first, ...others] = scene.coins(scene.contracts.goldType);
  if (first && others.length > 0) builder.merge(builder.owned(first), others.slice(0, 8).map(builder.owned));
  greet(scene);
  sell(scene);
};

/** The transactions of users. One listed twice occurs twice as often. */
export const recipes: readonly [Recipe, ...Recipe[]] = [
  trade,
  trade,
  provide,
  sell,
  sell,
  fight,
  mint,
  give,
  giveGold,
  tidy,
];
