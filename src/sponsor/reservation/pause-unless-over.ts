import type { Cancellation } from '../../upstream/cancellation.ts';

/** Resolves after so long, when `sooner` does, or when the operation is over: whatever comes first. */
export function pauseUnlessOver(ms: number, cancellation: Cancellation, sooner?: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    let stopListening = () => {};
    const go = (): void => {
      clearTimeout(timer);
      stopListening();
      resolve();
    };
    const timer = setTimeout(go, ms);
    stopListening = cancellation.onCancel(go);
    void sooner?.then(go);
  });
}
