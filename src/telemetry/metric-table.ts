import { maxAddresses } from '../config/value-types.ts';
import { errorCatalogue } from '../errors/catalogue.ts';
import { policyRuleNames } from '../errors/policy-rules.ts';
import { sponsorshipEvents } from './sponsorship-line.ts';

/**
 * One metric: its help text, and every value that each label may have. Label sets are closed, so callers cannot add series.
 */
interface MetricRow {
  readonly type: 'counter' | 'histogram' | 'gauge';
  readonly help: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
  /** Upper bounds of a histogram's buckets; one above the last is added. */
  readonly buckets?: readonly number[];
}

const other = 'other';
export const plans = ['PASS_THROUGH', 'LOCAL', 'SPLIT', 'STITCHED', 'none', other];
export const outcomes = ['ok', ...Object.keys(errorCatalogue), other];
export const upstreamNames = ['ledger', 'sponsor', 'events', other];
/** Positions of an upstream's addresses in its setting. */
const positions = Array.from({ length: maxAddresses }, (_, index) => String(index + 1));
/** Positions of budgets: the page has their clients in place of them. */
export const budgetPositions = Array.from({ length: 100 }, (_, index) => String(index + 1));
/** From 1 ms, because most requests take less than the 5 ms at which conventional buckets begin. */
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** In live streams, a read every two seconds is usual, and a minute means that the upstream is unavailable. */
const lagSeconds = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Why a prepared document is kept. */
export const documentUses = ['new', 'used', 'trusted'] as const;

/** Every metric of the gateway. The table in docs/monitoring.md is generated from here. */
export const metricTable = {
  ledger_gateway_requests_total: {
    type: 'counter',
    help: 'Answered requests, and operations over WebSocket, by transport, plan of the first operation, and first error code.',
    labels: { transport: ['lane', 'http', 'websocket'], plan: plans, outcome: outcomes },
  },
  ledger_gateway_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the request to the end of its response, without subscriptions.',
    labels: { plan: plans },
    buckets: seconds,
  },
  ledger_gateway_websocket_upgrades_total: {
    type: 'counter',
    help: 'WebSocket upgrades that were accepted or rejected.',
    labels: { outcome: outcomes },
  },
  ledger_gateway_cached_operations_total: {
    type: 'counter',
    help: 'Operations answered from the cache of immutable reads.',
    labels: {},
  },
  ledger_gateway_untrusted_documents_total: {
    type: 'counter',
    help: 'Operations whose document is not in the manifest, of callers with the document policy log.',
    labels: {},
  },
  ledger_gateway_usage: {
    type: 'histogram',
    help: 'Cost of each operation by the ledger’s rules, per limit.',
    labels: { limit: ['inputNodes', 'outputNodes', 'depth', 'queryPayload'] },
    buckets: [1, 5, 10, 20, 50, 100, 300, 1_000, 5_000, 10_000, 100_000],
  },
  ledger_gateway_upstream_calls_total: {
    type: 'counter',
    help: 'Calls to upstreams by outcome: the class of the HTTP status, or why there was no response.',
    labels: {
      upstream: upstreamNames,
      outcome: [
        '2xx',
        '3xx',
        '4xx',
        '5xx',
        'unreachable',
        'interrupted',
        'timeout',
        'too-large',
        'aborted',
        'crowded',
        'refused',
        other,
      ],
    },
  },
  ledger_gateway_upstream_call_duration_seconds: {
    type: 'histogram',
    help: 'Time from a call to an upstream to the end of its response, including the wait for a connection.',
    labels: { upstream: upstreamNames },
    buckets: seconds,
  },
  ledger_gateway_upstream_retries_total: {
    type: 'counter',
    help: 'Calls that were repeated at another address of the upstream.',
    labels: { upstream: upstreamNames },
  },
  ledger_gateway_upstream_ejections_total: {
    type: 'counter',
    help: 'Times that an address failed 5 calls in a row, or 10 of its last 20.',
    labels: { upstream: upstreamNames },
  },
  ledger_gateway_upstream_refused_total: {
    type: 'counter',
    help: 'Calls that were not sent because all of the last 20 calls to each address failed.',
    labels: { upstream: upstreamNames },
  },
  ledger_gateway_sponsorship_events_total: {
    type: 'counter',
    help: 'Events of sponsored transactions, as in the audit log.',
    labels: { event: sponsorshipEvents },
  },
  ledger_gateway_policy_refusals_total: {
    type: 'counter',
    help: 'Reservations and transactions refused by a rule of their caller’s policy; docs/errors.md lists the rules.',
    labels: { rule: policyRuleNames },
  },
  ledger_gateway_gas_reserved_total: {
    type: 'counter',
    help: 'Gas reserved at the sponsor, in the smallest unit of the gas coin.',
    labels: {},
  },
  ledger_gateway_gas_used_total: {
    type: 'counter',
    help: 'Gas used by sponsored transactions, in the smallest unit of the gas coin.',
    labels: {},
  },
  ledger_gateway_gas_budget_used_ratio: {
    type: 'gauge',
    help: 'Part of a daily gas budget that is held or spent, from 0 to 1, by all instances together: of each client with `gas.perDay`, of anonymous callers and of JWT policies, and of all JWTs together. Read every 10 s; of the first 100 budgets.',
    labels: { client: budgetPositions },
  },
  ledger_gateway_log_messages_total: {
    type: 'counter',
    help: 'Warnings and errors in the log.',
    labels: { level: ['warn', 'error'] },
  },
  ledger_gateway_schema_changes_total: {
    type: 'counter',
    help: 'Ledger schemas that came into force, the first one included.',
    labels: {},
  },
  ledger_gateway_worker_exits_total: {
    type: 'counter',
    help: 'Worker processes that exited or were killed, and were replaced.',
    labels: {},
  },
  ledger_gateway_worker_memory_replacements_total: {
    type: 'counter',
    help: 'Worker processes that exceeded WORKER_MAX_RSS_BYTES, and stopped once another one served.',
    labels: {},
  },
  ledger_gateway_event_loop_delay_seconds: {
    type: 'histogram',
    help: 'Delay of a timer that runs every 100 ms: how long the event loop was busy with something else.',
    labels: {},
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  },
  ledger_gateway_upstream_up: {
    type: 'gauge',
    help: '1 if the last call to the upstream was answered without a server error, else 0. Absent before the first call.',
    labels: { upstream: upstreamNames },
  },
  ledger_gateway_upstream_in_flight: {
    type: 'gauge',
    help: 'Calls in flight, by address: its position in the setting. At most 128.',
    labels: { upstream: upstreamNames, address: positions },
  },
  ledger_gateway_upstream_waiting: {
    type: 'gauge',
    help: 'Calls that wait for a connection, by address. At most 1,024.',
    labels: { upstream: upstreamNames, address: positions },
  },
  ledger_gateway_upstream_breaker_open: {
    type: 'gauge',
    help: '1 while all of the last 20 calls to the address failed, not only by timeouts of one caller: it gets only trial calls.',
    labels: { upstream: upstreamNames, address: positions },
  },
  ledger_gateway_upstream_ejected: {
    type: 'gauge',
    help: '1 while the address is avoided because it fails or serves another network. Only for upstreams with several addresses.',
    labels: { upstream: upstreamNames, address: positions },
  },
  ledger_gateway_upstream_behind: {
    type: 'gauge',
    help: 'How far the newest data of the address is behind that of the newest address: checkpoints for the ledger, milliseconds for JSON-RPC.',
    labels: { upstream: upstreamNames, address: positions },
  },
  ledger_gateway_live_readers: { type: 'gauge', help: 'Readers that poll for live streams.', labels: {} },
  ledger_gateway_live_streams: {
    type: 'gauge',
    help: 'Open streams of liveEvents, liveTransactions and ledger subscriptions.',
    labels: {},
  },
  ledger_gateway_live_lag_seconds: {
    type: 'histogram',
    help: 'Age of each new event or transaction when a reader gets it, by its timestamp: how far live streams are behind the ledger.',
    labels: {},
    buckets: lagSeconds,
  },
  ledger_gateway_live_missed_total: {
    type: 'counter',
    help: 'Items that slow subscribers missed, as reported to them by LiveMissed, and items of an unknown form that readers left out.',
    labels: {},
  },
  ledger_gateway_live_replay_bytes: {
    type: 'gauge',
    help: 'Memory of the newest items that readers keep for their streams. LIVE_REPLAY_BYTES is its limit.',
    labels: {},
  },
  ledger_gateway_documents: {
    type: 'gauge',
    help: 'Prepared documents in memory: new (not requested again yet), used (requested again), or trusted (in the manifest).',
    labels: { use: documentUses },
  },
  ledger_gateway_body_bytes: {
    type: 'gauge',
    help: 'Memory of request bodies in flight, as counted against its limit.',
    labels: {},
  },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory.', labels: {} },
  process_cpu_seconds_total: { type: 'counter', help: 'CPU time, user and system.', labels: {} },
  process_start_time_seconds: { type: 'gauge', help: 'Start of the process, in seconds since 1970.', labels: {} },
  nodejs_heap_used_bytes: { type: 'gauge', help: 'JavaScript heap in use.', labels: {} },
} as const satisfies Record<string, MetricRow>;

export type MetricName = keyof typeof metricTable;

/** Position of a metric's numbers in the array. */
export interface MetricLayout {
  readonly row: MetricRow;
  readonly start: number;
  /** Numbers per series: one, or each bucket, the one above the last, and the sum. */
  readonly width: number;
  readonly series: readonly (readonly string[])[];
}

/** Every metric, in the order of the table. */
export const layouts = {} as Record<MetricName, MetricLayout>;
let size = 0;
for (const [name, row] of Object.entries(metricTable) as [MetricName, MetricRow][]) {
  const series = Object.values(row.labels).reduce<readonly (readonly string[])[]>(
    (rows, values) => rows.flatMap((labels) => values.map((value) => [...labels, value])),
    [[]],
  );
  const width = row.buckets ? row.buckets.length + 2 : 1;
  layouts[name] = { row, start: size, width, series };
  size += width * series.length;
}

export const metricCount = size;
