import type { Caller } from '../../src/upstream/operation-context.ts';

/** A caller with the given properties. */
export function toTestCaller(about: Partial<Caller> = {}): Caller {
  return {
    id: 'address:203.0.113.9',
    kind: 'ANONYMOUS',
    authorization: null,
    scopes: new Set(['read']),
    rate: { key: 'address:203.0.113.9', perMinute: null },
    visitor: 'address:203.0.113.9',
    policy: null,
    ...about,
  };
}
