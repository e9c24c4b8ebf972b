import type { Ledger } from '../state/ledger-state.ts';
import type { SignedForSponsor, SigningRequest } from '../transactions/devnet-signer.ts';
import type { PayloadRule } from './documents/prepared-document.ts';
import type { GraphqlLimits, LedgerFeature } from './graphql-limits.ts';
import type { FindStruct } from './moves/type-layout.ts';

/** Builds and signs a small transaction that another account's coins pay for. */
export type DevnetSigner = (request: SigningRequest) => SignedForSponsor;

/** The context of every resolver of one request. */
export interface GraphqlContext {
  readonly ledger: Ledger;
  readonly limits: GraphqlLimits;
  readonly features: ReadonlySet<LedgerFeature>;
  readonly payloadRule: PayloadRule;
  readonly signer: DevnetSigner;
  /** Structs of the packages that are there from the start. */
  readonly findStruct: FindStruct;
  /** Milliseconds from any origin, to time execution with. */
  readonly now: () => number;
  /** The newest checkpoint when the request began: read once, shared by all its fields. */
  readonly viewedAt: number;
}
