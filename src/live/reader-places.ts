export interface ReaderPlacesOptions {
  /** Readers of this process. */
  readonly max: number;
  /** Opened by one caller among them. */
  readonly maxPerCaller: number;
}

/** Readers that poll the upstream at this moment, each for a query of its own. */
export interface ReaderPlaces {
  /** Which bound keeps a caller from opening another reader; `null` = none. */
  boundOf(caller: string): ReaderBound | null;
  /** Counts a reader. */
  enter(caller: string): ReaderPlace;
}

export interface ReaderBound {
  readonly of: 'caller' | 'gateway';
  readonly max: number;
}

/** Both are safe to call twice. */
export interface ReaderPlace {
  /** The caller that opened the reader has left it, and others have not. */
  readonly leaveCaller: () => void;
  /** The reader has ended. */
  readonly leave: () => void;
}

export function createReaderPlaces({ max, maxPerCaller }: ReaderPlacesOptions): ReaderPlaces {
  /** Callers that have some. */
  const own = new Map<string, number>();
  let all = 0;
  return {
    boundOf(caller) {
      if ((own.get(caller) ?? 0) >= maxPerCaller) return { of: 'caller', max: maxPerCaller };
      return all >= max ? { of: 'gateway', max } : null;
    },
    enter(caller) {
      own.set(caller, (own.get(caller) ?? 0) + 1);
      all += 1;
      const leaveCaller = once(() => {
        const rest = (own.get(caller) ?? 1) - 1;
        if (rest > 0) own.set(caller, rest);
        else own.delete(caller);
      });
      const leaveGateway = once(() => {
        all -= 1;
      });
      return {
        leaveCaller,
        leave() {
          leaveCaller();
          leaveGateway();
        },
      };
    },
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}
