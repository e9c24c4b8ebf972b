import { createMemoryStore } from '../../../../src/sponsorship/store/memory-store.ts';
import { describeSponsorshipStore } from '../../../support/sponsorship-store-suite.ts';

describeSponsorshipStore('in memory', () => ({
  open(bounds) {
    const store = createMemoryStore(bounds);
    return { one: store, other: store };
  },
  close: () => {},
}));
