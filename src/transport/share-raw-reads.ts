import type { RawCall, RawListener } from './raw-call.ts';
import { UpstreamCallError } from './upstream-call.ts';

/** A call under way and those who listen for its answer. */
interface SharedRawCall {
  readonly listeners: Set<RawListener>;
  giveUp: () => void;
}

/** What `shareReads` does for the ordinary call, for the short one. */
export function shareRawReads(call: RawCall): RawCall {
  const underWay = new Map<string, SharedRawCall>();

  return (request, listener) => {
    if (!request.isShareable) return call(request, listener);
    const key = `${request.path}\n${request.body}`;
    const known = underWay.get(key);
    const shared = known ?? { listeners: new Set<RawListener>(), giveUp: () => {} };
    shared.listeners.add(listener);
    if (!known) {
      underWay.set(key, shared);
      shared.giveUp = call(request, {
        answered: (response) => settle(key, shared, (each) => each.answered(response)),
        failed: (error) => settle(key, shared, (each) => each.failed(error)),
      });
    }
    return () => {
      if (!shared.listeners.delete(listener)) return;
      if (shared.listeners.size === 0) {
        // A newcomer must not be handed what is being given up.
        forget(key, shared);
        shared.giveUp();
      }
      listener.failed(new UpstreamCallError('aborted', 'cancelled'));
    };
  };

  function settle(key: string, shared: SharedRawCall, tell: (listener: RawListener) => void): void {
    forget(key, shared);
    const told = [...shared.listeners];
    shared.listeners.clear();
    told.forEach(tell);
  }

  function forget(key: string, shared: SharedRawCall): void {
    if (underWay.get(key) === shared) underWay.delete(key);
  }
}
