import type { Caller } from '../../src/upstream/operation-context.ts';

/** Somebody who calls, with what the test is about. */
export function toTestCaller(about: Partial<Caller> = {}): Caller {
  return {
    id: 'address:203.0.113.9',
    kind: 'ANONYMOUS',
    authorization: null,
    scopes: new Set(['read']),
    rate: { key: 'address:203.0.113.9', perMinute: null },
    gas: null,
    moveCalls: null,
    ...about,
  };
}
