/** Counts the operations that run, so that draining can wait for the last one. */
export interface OperationsUnderWay {
  began(): void;
  ended(): void;
  /** Resolves when none runs, at the latest after `graceMs`. */
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
      // The answer is handed to the socket in a later turn of the event loop; wait for that too.
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
