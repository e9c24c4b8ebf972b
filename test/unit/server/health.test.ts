import { describe, expect, it } from 'vitest';
import { type ReadinessFacts, toReadiness } from '../../../src/server/route.ts';
import type { UpstreamHealth } from '../../../src/upstream/upstream-health.ts';

const up = { state: 'up', lastSeenMs: 0, detail: null } as const;
const down = { state: 'down', lastSeenMs: null, detail: 'cannot connect (ECONNREFUSED)' } as const;
const unknown = { state: 'unknown', lastSeenMs: null, detail: null } as const;

/** Upstreams as the list has them; the first is the one whose schema the graph is based on. */
const listed = (upstreams: Readonly<Record<string, UpstreamHealth | null>>): ReadinessFacts['upstreams'] =>
  Object.entries(upstreams).map(([name, health], index) => ({
    name,
    role: index === 0 ? 'graph' : 'own fields',
    health,
  }));

describe('readiness', () => {
  it.each([
    [
      'all is well',
      {
        draining: false,
        workers: null,
        schemaFaults: [],
        schemaOrigin: 'ledger',
        upstreams: listed({ ledger: up, sponsor: up, events: up }),
      },
      200,
    ],
    [
      'draining',
      { draining: true, workers: null, schemaFaults: [], schemaOrigin: 'ledger', upstreams: listed({ ledger: up }) },
      503,
    ],
    [
      'the ledger is down and nothing else is configured',
      {
        draining: false,
        workers: null,
        schemaFaults: [],
        schemaOrigin: 'ledger',
        upstreams: listed({ ledger: down, sponsor: null }),
      },
      503,
    ],
    [
      'the ledger is down but a sponsor serves',
      {
        draining: false,
        workers: null,
        schemaFaults: [],
        schemaOrigin: 'none',
        upstreams: listed({ ledger: down, sponsor: up }),
      },
      200,
    ],
    [
      'the ledger is down and so is the sponsor',
      {
        draining: false,
        workers: null,
        schemaFaults: [],
        schemaOrigin: 'cache',
        upstreams: listed({ ledger: down, sponsor: down }),
      },
      503,
    ],
    [
      'a kept schema and a ledger not asked yet',
      {
        draining: false,
        workers: null,
        schemaFaults: [],
        schemaOrigin: 'cache',
        upstreams: listed({ ledger: unknown }),
      },
      200,
    ],
  ] as const)('%s', (_, facts, status) => {
    expect(toReadiness(facts).status).toBe(status);
  });

  it('reports the number of serving processes, if there are several', () => {
    const facts = {
      draining: false,
      schemaFaults: [],
      schemaOrigin: 'ledger',
      upstreams: listed({ ledger: up }),
    } as const;
    expect(toReadiness({ ...facts, workers: { serving: 3, of: 4 } })).toMatchObject({
      status: 200,
      body: { workers: { serving: 3, of: 4 } },
    });
    expect(toReadiness({ ...facts, workers: null }).body).not.toHaveProperty('workers');
  });

  it('names what is left out of the ledger’s schema', () => {
    const facts = {
      draining: false,
      workers: null,
      schemaOrigin: 'ledger',
      upstreams: listed({ ledger: up }),
    } as const;
    const faults = ['type Kind: it has no values'];
    expect(toReadiness({ ...facts, schemaFaults: faults }).body).toMatchObject({ rejectedSchema: faults });
    expect(toReadiness({ ...facts, schemaFaults: [] }).body).not.toHaveProperty('rejectedSchema');
  });

  it('reports the state of each upstream and the reason', () => {
    expect(
      toReadiness({
        draining: false,
        workers: null,
        schemaFaults: [],
        schemaOrigin: 'none',
        upstreams: listed({ ledger: down, sponsor: null, events: up }),
      }).body,
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
