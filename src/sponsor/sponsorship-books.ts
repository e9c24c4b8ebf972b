import type { SponsorshipFacts } from '../telemetry/sponsorship-line.ts';
import type { Executions } from './execution/executions.ts';
import type { LeaseKeys } from './leases/lease-keys.ts';
import type { SponsorEffects } from './sponsor-client.ts';
import type { SponsorshipStore } from './store/sponsorship-store.ts';

/** What is signed, remembered and told of sponsorship, whichever mutation it is about. */
export interface SponsorshipBooks {
  /** Sign what callers get for reserved coins; `null` in forward mode, where they get the sponsor's own number. */
  readonly leases: LeaseKeys | null;
  readonly store: SponsorshipStore;
  /**
   * Is nothing sent while the store does not answer? In forward mode it may be: the sponsor itself takes each of its numbers
   * once, and it counts its callers.
   */
  readonly isStoreNeeded: boolean;
  /** Has the store every lease that is good? Then one that it does not know may be spent, and is not executed. */
  readonly knowsAll: boolean;
  /** Those that are under way. */
  readonly executions: Executions<SponsorEffects>;
  /** One line for each event. Must not throw. */
  readonly audit: (event: SponsorshipFacts) => void;
}
