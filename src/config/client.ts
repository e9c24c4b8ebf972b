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
}
