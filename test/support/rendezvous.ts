export interface Rendezvous<Guest> {
  /** Says that one has come; resolves when all have. */
  arrive(guest: Guest): Promise<void>;
  /** Resolves, with everyone who came in the order of arrival, when all have. */
  readonly complete: Promise<readonly Guest[]>;
}

/** A place where so many meet: nobody goes on before the last one is there. More than that go straight on. */
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
