/** What the options of `devnet` mean when they are left out. */
export const devnetDefaults = {
  host: '127.0.0.1',
  port: 4100,
  checkpointMs: 500,
  /** Default `--start-time` with `--seed`: digests depend on the time, so only a fixed start makes them repeat. */
  seededStart: '2026-01-01T00:00:00Z',
} as const;
