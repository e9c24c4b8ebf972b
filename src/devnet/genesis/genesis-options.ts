/** How much history a devnet starts with. */
export interface GenesisOptions {
  /** Closed checkpoints at the start, the genesis checkpoint included. Default 320. */
  readonly checkpoints: number;
  /** Time between them, milliseconds; the last one lies this long before the clock's now. Default 1000. */
  readonly checkpointIntervalMs: number;
  /** Default 100, so that the default history spans epochs 0 to 3. */
  readonly checkpointsPerEpoch: number;
  /** Coins the sponsor owns. Default 1000. */
  readonly sponsorCoins: number;
  /** Balance of each, smallest unit. Default 100 000 000 (0.1 coin). */
  readonly sponsorCoinBalance: bigint;
  /** Further addresses that get three native coins of 100 coins each, a wallet under test for example. Default none. */
  readonly fundedAddresses: readonly string[];
}

export const defaultGenesisOptions: GenesisOptions = {
  checkpoints: 320,
  checkpointIntervalMs: 1000,
  checkpointsPerEpoch: 100,
  sponsorCoins: 1000,
  sponsorCoinBalance: 100_000_000n,
  fundedAddresses: [],
};
