import { createMemoryStore } from '../sponsorship/store/memory-store.ts';
import type { SponsorshipStore } from '../sponsorship/store/sponsorship-store.ts';

/** Where it is remembered what became of the sponsor's gas. */
export async function openSponsorshipStore(): Promise<SponsorshipStore> {
  return createMemoryStore();
}
