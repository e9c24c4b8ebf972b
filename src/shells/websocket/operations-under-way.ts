/** Counts the operations that run, so that whoever leaves can wait for the last. */
export interface OperationsUnderWay {
  began(): void;
  ended(): void;
  /** Resolves when none runs, or after so many milliseconds. */
  settled(graceMs: number): Promise<void>;
}

export function createOperationsUnderWay(): OperationsUnderWay {
  let active = 0;
  let onIdle = () => {};
  return {
    began() {
      active += 1;
    },
    ended() {
      active -= 1;
      // Not before the answer has been handed to the socket, which happens in the turns after this one.
      if (active === 0) setImmediate(() => active === 0 && onIdle());
    },
    async settled(graceMs) {
      if (active === 0) return;
      await new Promise<void>((resolve) => {
        const fuse = setTimeout(resolve, graceMs);
        onIdle = () => {
          clearTimeout(fuse);
          resolve();
        };
      });
    },
  };
}
