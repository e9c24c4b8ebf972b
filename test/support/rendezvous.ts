export interface Rendezvous<Guest> {
  /** Reports an arrival; resolves when all have arrived. */
  arrive(guest: Guest): Promise<void>;
  /** Resolves with all guests in order of arrival, once all have arrived. */
  readonly complete: Promise<readonly Guest[]>;
}

/** A barrier: nobody continues until `count` guests have arrived. Later guests continue immediately. */
export function createRendezvous<Guest>(count: number): Rendezvous<Guest> {
  const guests: Guest[] = [];
  let resolve: (guests: readonly Guest[]) => void = () => {};
  const complete = new Promise<readonly Guest[]>((each) => {
    resolve = each;
  });
  return {
    complete,
    async arrive(guest) {
      guests.push(guest);
      if (guests.length === count) resolve(guests);
      await complete;
    },
  };
}
