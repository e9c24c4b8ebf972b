import { bcs } from '@mysten/bcs';
import { hash256 } from '../../transactions/digest.ts';
import { ledgerBcs, toAddress } from '../../transactions/ledger-bcs.ts';
import { createCoin, type ObjectDraft, toObjectBcs } from '../execution/move-object.ts';
import { toPackage } from '../execution/move-package.ts';
import { createClockObject, createSystemState } from '../execution/system-objects.ts';
import type { CoinMetadataRecord } from '../state/records.ts';
import { toWellKnownAddress } from '../transactions/address.ts';
import { encodeBcs } from '../transactions/encode-bcs.ts';
import type { DevnetAccounts } from './accounts.ts';
import type { DevnetContracts } from './contracts.ts';
import { createDynamicField, toTypedString, toTypedU64 } from './dynamic-field.ts';
import type { GenesisOptions } from './genesis-options.ts';

export const nativeCoinType = `${toWellKnownAddress(2)}::ledger::LEDGER`;

const oneCoin = 1_000_000_000n;

const coinMetadata = bcs.struct('CoinMetadata', {
  objectId: ledgerBcs.address,
  decimals: bcs.u8(),
  name: bcs.string(),
  symbol: bcs.string(),
  description: bcs.string(),
  iconUrl: bcs.option(bcs.string()),
});

export interface GenesisInputs {
  readonly seed: number;
  readonly accounts: DevnetAccounts;
  readonly contracts: DevnetContracts;
  readonly options: GenesisOptions;
  readonly startMs: number;
  readonly referenceGasPrice: bigint;
}

/** Everything that exists before the first transaction of a user. */
export function createGenesisObjects(inputs: GenesisInputs): ObjectDraft[] {
  const { contracts, startMs, referenceGasPrice } = inputs;
  return [
    createSystemState({ epoch: 0, epochStartTimestampMs: startMs, referenceGasPrice }),
    createClockObject(startMs),
    ...createPackages(contracts),
    ...createCoinMetadata(inputs).map(toMetadataObject),
    ...createSharedObjects(inputs),
    ...createCoins(inputs),
  ];
}

/** The metadata of the three currencies. */
export function createCoinMetadata({
  seed,
  contracts,
}: Pick<GenesisInputs, 'seed' | 'contracts'>): CoinMetadataRecord[] {
  const currency = (coinType: string, symbol: string, name: string, decimals: number) => ({
    coinType,
    objectId: toGenesisId(seed, `metadata ${symbol}`),
    decimals,
    name,
    symbol,
    description: `${name} of the devnet; worth nothing.`,
    iconUrl: null,
  });
  return [
    currency(nativeCoinType, 'LEDGER', 'Ledger coin', 9),
    currency(contracts.goldType, 'GOLD', 'Gold', 6),
    currency(contracts.silverType, 'SILVER', 'Silver', 6),
  ];
}

function toGenesisId(seed: number, name: string): string {
  return toAddress(hash256(Buffer.from(`devnet object ${seed} ${name}`)));
}

function createPackages({ modules }: DevnetContracts): ObjectDraft[] {
  const framework: [string, readonly string[]][] = [
    [toWellKnownAddress(1), ['option', 'string', 'vector']],
    [toWellKnownAddress(2), ['clock', 'coin', 'dynamic_field', 'event', 'ledger', 'object', 'package', 'transfer']],
    [toWellKnownAddress(3), ['system_state', 'validator']],
  ];
  return [...framework, ...Object.entries(modules)].map(([packageId, names]) => {
    // The devnet runs no bytecode, so any bytes will do: a module's content can only be read back.
    const named = names.map((name) => ({ name, bytes: hash256(Buffer.from(`${packageId}::${name}`)) }));
    return toPackage(packageId, 1, named);
  });
}

function toMetadataObject(metadata: CoinMetadataRecord): ObjectDraft {
  const { objectId, decimals, name, symbol, description } = metadata;
  return {
    objectId,
    type: `${toWellKnownAddress(2)}::coin::CoinMetadata<${metadata.coinType}>`,
    owner: { kind: 'immutable' },
    json: { id: objectId, decimals, name, symbol, description, icon_url: metadata.iconUrl },
    bcs: encodeBcs(coinMetadata, metadata),
    balance: null,
  };
}

/** A market board, a swap pool, and a registry with fields of its own below it. */
function createSharedObjects({ seed, contracts }: GenesisInputs): ObjectDraft[] {
  const { market, dex, core } = contracts.packages;
  const share = (objectId: string, type: string): ObjectDraft => ({
    objectId,
    type,
    owner: { kind: 'shared', initialSharedVersion: 1 },
    json: { id: objectId },
    bcs: toObjectBcs(objectId),
    balance: null,
  });
  const { board, pool, registry } = toSharedIds(seed);
  const field = (name: string, value: bigint) => createDynamicField(registry, toTypedString(name), toTypedU64(value));
  return [
    share(board, `${market}::listings::Board`),
    share(pool, `${dex}::pool::Pool<${contracts.goldType},${contracts.silverType}>`),
    share(registry, `${core}::events::Registry`),
    field('listings', 128n),
    field('pools', 1n),
    field('heroes', 64n),
  ];
}

/** Shared objects the history's calls take. */
export function toSharedIds(seed: number): { board: string; pool: string; registry: string } {
  return {
    board: toGenesisId(seed, 'board'),
    pool: toGenesisId(seed, 'pool'),
    registry: toGenesisId(seed, 'registry'),
  };
}

function createCoins({ seed, accounts, contracts, options }: GenesisInputs): ObjectDraft[] {
  let made = 0;
  const coins = (address: string, coinType: string, balances: readonly bigint[]) =>
    balances.map((balance) =>
      createCoin(toGenesisId(seed, `coin ${made++}`), coinType, { kind: 'address', address }, balance),
    );
  const purse = [10_000n * oneCoin, 100n * oneCoin, oneCoin];
  return [
    ...[...accounts.users, accounts.patron, accounts.visitor].flatMap(({ address }) =>
      coins(address, nativeCoinType, purse),
    ),
    ...accounts.users.flatMap(({ address }) => coins(address, contracts.goldType, [5_000_000_000n])),
    ...accounts.users.flatMap(({ address }) => coins(address, contracts.silverType, [20_000_000_000n])),
    ...options.fundedAddresses.flatMap((address) =>
      coins(address, nativeCoinType, [100n * oneCoin, 100n * oneCoin, 100n * oneCoin]),
    ),
    ...coins(accounts.sponsor.address, nativeCoinType, Array(options.sponsorCoins).fill(options.sponsorCoinBalance)),
  ];
}
