import type { Ledger } from '../state/ledger-state.ts';
import type { DevnetSigner } from './devnet-signer-contract.ts';
import type { GraphqlLimits, LedgerFeature } from './graphql-limits.ts';

/** What every resolver of one request sees. */
export interface GraphqlContext {
  readonly ledger: Ledger;
  readonly limits: GraphqlLimits;
  readonly features: ReadonlySet<LedgerFeature>;
  readonly signer: DevnetSigner | undefined;
  /** The newest checkpoint when the request began: read once, shared by all its fields. */
  readonly viewedAt: number;
}
