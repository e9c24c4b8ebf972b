/** Everything that a client can be allowed to do. */
export const clientScopes = ['read', 'sponsor', 'admin'] as const;

/** One entry of the clients file: somebody with an API key. */
export interface Client {
  readonly id: string;
  /** SHA-256 of the key, in hex. */
  readonly hash: string;
  readonly scopes: readonly (typeof clientScopes)[number][];
  /** Attempts a minute; 0 = no limit; `null` = the general limit. */
  readonly perMinute: number | null;
  /** Web origins whose pages may use the key; `null` = all. */
  readonly origins: readonly string[] | null;
  /** What it may reserve of the sponsor's gas in one UTC day, of the smallest unit of the gas coin; `null` = no budget. */
  readonly gasPerDay: number | null;
  /**
   * What its sponsored transactions may call, the package as 0x and 64 digits: `package::module::function`,
   * `package::module` or `package`; `null` = anything.
   */
  readonly moveCalls: readonly string[] | null;
}
