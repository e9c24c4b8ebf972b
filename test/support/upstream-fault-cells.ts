import type { ErrorCode } from '../../src/errors/catalogue.ts';
import type { NetworkFault } from './fault-proxy.ts';

/** What one fault does to one call. `test/faults/upstream-fault-matrix.test.ts` proves each cell; the documentation shows it. */
export interface FaultCell {
  /** Error code of the field, or what the client gets instead. */
  readonly client: ErrorCode | 'data' | 'RECOVERED' | 'every event, in order';
  /** What ends the call. A setting: no other timeout of the test is shorter than 10 minutes. */
  readonly endedBy: string;
  /** `msg` of a warning; `null` = none. */
  readonly log: string | null;
  /** The counter that grows, with the labels that matter. */
  readonly metric: string;
}

export interface FaultedCall {
  readonly title: string;
  readonly query: string;
  /** What happens apart from the field that fails. */
  readonly others: string;
  readonly recovery: string;
  readonly cells: Readonly<Partial<Record<NetworkFault, FaultCell>>>;
}

/** Why a fault cannot occur in a call without a cell for it. */
export const impossible: Readonly<Partial<Record<NetworkFault, string>>> = {
  'wrong status': 'Redis has no statuses',
  oversize: 'Redis is trusted to send short replies',
  'duplicate answer': 'Redis sends one reply for each command',
  'out of order': 'a connection carries one call at a time',
};

const failing = 'calls to an upstream fail';
const hidden = 'sponsor response not shown to clients';
const lost = "the upstream's subscriptions are lost; live streams poll until they are back";
const storeAway = 'sponsorship store unavailable: requests that need it are rejected';

const calls = (upstream: string, outcome: string) =>
  `ledger_gateway_upstream_calls_total{upstream="${upstream}",outcome="${outcome}"}`;
const requests = (outcome: ErrorCode) => `ledger_gateway_requests_total{outcome="${outcome}"}`;
const sponsorship = (event: string) => `ledger_gateway_sponsorship_events_total{event="${event}"}`;

const cell = (
  client: FaultCell['client'],
  endedBy: string,
  log: FaultCell['log'],
  metric: FaultCell['metric'],
): FaultCell => ({ client, endedBy, log, metric });

/** The cells that all reads have in common. */
function readCells(upstream: string, setting: string, limit: string, badLog: string | null) {
  const timeout = cell('UPSTREAM_TIMEOUT', setting, failing, calls(upstream, 'timeout'));
  const broken = cell('UPSTREAM_UNAVAILABLE', 'end of the connection', failing, calls(upstream, 'interrupted'));
  const unreachable = calls(upstream, 'unreachable');
  return {
    latency: timeout,
    'reset before bytes': broken,
    'reset after bytes': broken,
    'half-close': broken,
    trickle: timeout,
    'wrong status': cell('UPSTREAM_BAD_RESPONSE', 'response', badLog ?? failing, calls(upstream, '5xx')),
    'wrong content type': cell('UPSTREAM_BAD_RESPONSE', 'response', badLog, requests('UPSTREAM_BAD_RESPONSE')),
    truncation: broken,
    oversize: cell('UPSTREAM_BAD_RESPONSE', limit, failing, calls(upstream, 'too-large')),
    'duplicate answer': cell('data', 'response', null, calls(upstream, '2xx')),
    'TLS failure': cell('UPSTREAM_UNAVAILABLE', 'TLS handshake', failing, unreachable),
    'DNS failure': cell('UPSTREAM_UNAVAILABLE', 'name lookup', failing, unreachable),
  };
}

const ledger = readCells('ledger', 'REQUEST_TIMEOUT_MS', '64 MiB', null);
const sponsor = readCells('sponsor', 'REQUEST_TIMEOUT_MS', '4 MiB', hidden);
const events = readCells('events', 'REQUEST_TIMEOUT_MS', '64 MiB', null);

const reserve = readCells('sponsor', 'MUTATION_TIMEOUT_MS', '4 MiB', hidden);
const reserveEvents = {
  'duplicate answer': 'reserved',
  'TLS failure': 'reserve-refused',
  'DNS failure': 'reserve-refused',
};
const reserveCells = Object.fromEntries(
  Object.entries({
    ...Object.fromEntries(Object.keys(reserve).map((fault) => [fault, 'reserve-lost'])),
    ...reserveEvents,
  }).map(([fault, event]) => [fault, { ...reserve[fault as keyof typeof reserve], metric: sponsorship(event) }]),
);

const recovered = cell('RECOVERED', 'lookup in the ledger', null, sponsorship('recovered'));
const unsent = (endedBy: string) => cell('UPSTREAM_UNAVAILABLE', endedBy, failing, sponsorship('unsent'));
const polled = cell('every event, in order', 'LIVE_POLL_MAX_MS', lost, calls('events', '2xx'));
const announced = { ...polled, log: null };
const store = (endedBy: string) => cell('UPSTREAM_UNAVAILABLE', endedBy, storeAway, sponsorship('reserve-refused'));

export const faultedCalls = {
  ledger: {
    title: 'Ledger: a query',
    query: '{ epoch { epochId } gateway { networkProfile } }',
    others: 'The gateway’s own fields return data.',
    recovery: 'Calls succeed again.',
    cells: { ...ledger, 'wrong status': { ...ledger['wrong status'], client: 'UPSTREAM_UNAVAILABLE' } },
  },
  sponsor: {
    title: 'Sponsor: a query',
    query: '{ chainIdentifier sponsor { version { raw } } }',
    others: 'The ledger’s fields return data.',
    recovery: 'Calls succeed again.',
    cells: sponsor,
  },
  reserveGas: {
    title: 'Sponsor: `reserveGas`',
    query:
      'mutation { reserveGas(gasBudget: 50000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasCoins { objectId version digest } } }',
    others:
      'The gateway never repeats the call. If the sponsor reserved coins, they stay locked for the requested duration.',
    recovery: 'The next call reserves other coins.',
    cells: reserveCells,
  },
  executeTx: {
    title: 'Sponsor: `executeTx`',
    query:
      'mutation ($id: ID!, $tx: Base64!, $sig: Base64!) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig) { digest outcome } }',
    others:
      'The sponsor executed the transaction, but its response was lost. The gateway sends nothing twice. It looks up the digest in the ledger, and `outcome` is `RECOVERED`. If the ledger does not have the transaction in time, the code is `EXECUTION_OUTCOME_UNKNOWN`.',
    recovery: 'The next reservation can be executed.',
    cells: {
      latency: { ...recovered, endedBy: 'MUTATION_TIMEOUT_MS, lookup in the ledger', log: failing },
      'reset before bytes': { ...recovered, log: failing },
      'reset after bytes': { ...recovered, log: failing },
      'half-close': { ...recovered, log: failing },
      trickle: { ...recovered, endedBy: 'MUTATION_TIMEOUT_MS, lookup in the ledger', log: failing },
      'wrong status': { ...recovered, log: hidden },
      'wrong content type': { ...recovered, log: hidden },
      truncation: { ...recovered, log: failing },
      oversize: { ...recovered, log: failing },
      'duplicate answer': cell('data', 'response', null, sponsorship('executed')),
      'TLS failure': unsent('TLS handshake'),
      'DNS failure': unsent('name lookup'),
    },
  },
  events: {
    title: 'Event node: JSON-RPC',
    query: '{ chainIdentifier queryEvents(first: 1) { nodes { bcs } } }',
    others: 'The ledger’s fields return data.',
    recovery: 'Calls succeed again.',
    cells: {
      ...events,
      // Calls have ids.
      'out of order': cell('UPSTREAM_BAD_RESPONSE', 'response', null, requests('UPSTREAM_BAD_RESPONSE')),
    },
  },
  socket: {
    title: 'Event node: WebSocket',
    query: 'subscription { liveEvents { ... on LiveEventItem { event { id } } } }',
    others:
      'The WebSocket only announces events (`LIVE_SOURCE=websocket`). Without it, the gateway polls at the interval in the table.',
    recovery: 'The gateway reconnects after 0.5 s, and after up to 30 s if it keeps failing.',
    cells: {
      latency: polled,
      'reset before bytes': polled,
      'reset after bytes': polled,
      'half-close': polled,
      trickle: polled,
      'wrong status': polled,
      'wrong content type': polled,
      truncation: polled,
      oversize: polled,
      'duplicate answer': announced,
      'out of order': announced,
      'TLS failure': polled,
      'DNS failure': polled,
    },
  },
  redis: {
    title: 'Redis: `reserveGas`',
    query:
      'mutation { reserveGas(gasBudget: 50000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasCoins { objectId version digest } } }',
    others:
      'Nothing is sent to the sponsor. Queries work; each process counts rate limits and reads live events by itself.',
    recovery: 'The gateway reconnects within 0.5 s.',
    cells: {
      latency: store('1 s'),
      'reset before bytes': store('end of the connection'),
      'reset after bytes': store('end of the connection'),
      'half-close': store('end of the connection'),
      trickle: store('1 s'),
      'wrong content type': store('response'),
      truncation: store('end of the connection'),
      'TLS failure': store('TLS handshake'),
      'DNS failure': store('name lookup'),
    },
  },
} as const satisfies Readonly<Record<string, FaultedCall>>;

export type FaultedCallName = keyof typeof faultedCalls;
