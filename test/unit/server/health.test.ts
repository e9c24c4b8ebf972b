import { describe, expect, it } from 'vitest';
import { toReadiness } from '../../../src/server/health.ts';

const up = { state: 'up', lastSeenMs: 0, detail: null } as const;
const down = { state: 'down', lastSeenMs: null, detail: 'cannot connect (ECONNREFUSED)' } as const;
const unknown = { state: 'unknown', lastSeenMs: null, detail: null } as const;

describe('readiness', () => {
  it.each([
    [
      'all is well',
      { draining: false, schemaOrigin: 'ledger', upstreams: { ledger: up, sponsor: up, events: up } },
      200,
    ],
    ['draining', { draining: true, schemaOrigin: 'ledger', upstreams: { ledger: up } }, 503],
    [
      'the ledger is down and nothing else is configured',
      { draining: false, schemaOrigin: 'ledger', upstreams: { ledger: down, sponsor: null } },
      503,
    ],
    [
      'the ledger is down but a sponsor serves',
      { draining: false, schemaOrigin: 'none', upstreams: { ledger: down, sponsor: up } },
      200,
    ],
    [
      'the ledger is down and so is the sponsor',
      { draining: false, schemaOrigin: 'cache', upstreams: { ledger: down, sponsor: down } },
      503,
    ],
    [
      'a kept schema and a ledger not asked yet',
      { draining: false, schemaOrigin: 'cache', upstreams: { ledger: unknown } },
      200,
    ],
  ] as const)('%s', (_, facts, status) => {
    expect(toReadiness(facts).status).toBe(status);
  });

  it('says of each upstream how it is and why', () => {
    expect(
      toReadiness({ draining: false, schemaOrigin: 'none', upstreams: { ledger: down, sponsor: null, events: up } })
        .body,
    ).toEqual({
      status: 'ready',
      schema: 'none',
      upstreams: {
        ledger: { state: 'down', lastSeenAt: null, detail: 'cannot connect (ECONNREFUSED)' },
        sponsor: { state: 'not_configured' },
        events: { state: 'up', lastSeenAt: '1970-01-01T00:00:00.000Z' },
      },
    });
  });
});
