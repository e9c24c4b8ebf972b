import { cpuUsage, memoryUsage } from 'node:process';
import {
  budgetPositions,
  layouts,
  type MetricLayout,
  type MetricName,
  metricCount,
  metricTable,
  outcomes,
  plans,
  upstreamNames,
} from './metric-table.ts';
import type { RequestFacts } from './request-line.ts';
import type { SponsorshipFacts } from './sponsorship-line.ts';

/** The counted facts of a completed request, or of an operation over WebSocket. */
type CountedRequest = Pick<RequestFacts, 'operations' | 'codes' | 'durationMs'>;

/** Position of each value in a label's list; unknown values are the last one, `other`. */
function createIndex(values: readonly string[]): (value: string) => number {
  const positions = new Map(values.map((value, index) => [value, index]));
  return (value) => positions.get(value) ?? values.length - 1;
}

const planIndex = createIndex(plans);
const outcomeIndex = createIndex(outcomes);
const upstreamIndex = createIndex(upstreamNames);
const callOutcomeIndex = createIndex(metricTable.ledger_gateway_upstream_calls_total.labels.outcome);
const ruleIndex = createIndex(metricTable.ledger_gateway_policy_refusals_total.labels.rule);
const sponsorshipIndex = createIndex(metricTable.ledger_gateway_sponsorship_events_total.labels.event);
const lane = 0;
const http = 1;
const websocket = 2;

/**
 * The numbers of one process, of every metric in the order of the table. Each process of a gateway has the same layout, so
 * numbers can be added up.
 */
export type MetricValues = readonly number[];

/** Counts what one process does. One increment takes about 0.1 µs: it adds to a position in one array. */
export class Metrics {
  readonly #values = new Float64Array(metricCount);
  readonly #gauges: (readonly [position: number, read: () => number])[] = [];
  readonly #requests = layouts.ledger_gateway_requests_total.start;
  readonly #durations = layouts.ledger_gateway_request_duration_seconds;
  readonly #usage = layouts.ledger_gateway_usage;
  readonly #calls = layouts.ledger_gateway_upstream_calls_total;
  readonly #callDurations = layouts.ledger_gateway_upstream_call_duration_seconds;
  readonly #delays = layouts.ledger_gateway_event_loop_delay_seconds;
  readonly #lags = layouts.ledger_gateway_live_lag_seconds;

  constructor() {
    this.gauge('process_resident_memory_bytes', () => memoryUsage.rss());
    this.gauge('nodejs_heap_used_bytes', () => memoryUsage().heapUsed);
    this.gauge('process_start_time_seconds', () => performance.timeOrigin / 1_000);
    this.gauge('process_cpu_seconds_total', () => {
      const { user, system } = cpuUsage();
      return (user + system) / 1e6;
    });
  }

  /**
   * Registers a function that reads a gauge for each page.
   * @param labels values in the order of the table
   */
  gauge(name: MetricName, read: () => number, labels: readonly string[] = []): void {
    const { start, series, row } = layouts[name];
    const known = Object.values(row.labels).map((values, index) =>
      values.includes(labels[index] ?? '') ? labels[index] : values.at(-1),
    );
    const index = series.findIndex((each) => each.every((value, at) => value === known[at]));
    this.#gauges.push([start + index, read]);
  }

  request(request: CountedRequest & Pick<RequestFacts, 'lane'>): void {
    this.#countRequest(request.lane ? lane : http, request);
  }

  socketOperation(operation: CountedRequest): void {
    this.#countRequest(websocket, operation);
  }

  upgrade({ codes }: Pick<CountedRequest, 'codes'>): void {
    this.add('ledger_gateway_websocket_upgrades_total', 1, outcomeIndex(codes?.[0] ?? 'ok'));
  }

  #countRequest(transport: number, { operations, codes, durationMs }: CountedRequest): void {
    const values = this.#values;
    const first = operations[0];
    const plan = planIndex(first?.plan ?? 'none');
    const code = codes?.[0];
    const outcome = code === undefined ? 0 : outcomeIndex(code);
    const slot = this.#requests + (transport * plans.length + plan) * outcomes.length + outcome;
    values[slot] = (values[slot] ?? 0) + 1;
    if (first?.type !== 'subscription') this.#observe(this.#durations, plan, durationMs / 1_000);
    for (const { usage, from } of operations) {
      if (from !== undefined) this.add('ledger_gateway_cached_operations_total');
      if (usage === null) continue;
      this.#observe(this.#usage, 0, usage.inputNodes);
      this.#observe(this.#usage, 1, usage.outputNodes);
      this.#observe(this.#usage, 2, usage.depth);
      this.#observe(this.#usage, 3, usage.queryPayload);
    }
  }

  /** @param outcome the HTTP status, or why there was no response */
  upstreamCall(upstream: string, outcome: number | string, durationMs: number): void {
    const index = upstreamIndex(upstream);
    const outcomeName = typeof outcome === 'number' ? `${Math.floor(outcome / 100)}xx` : outcome;
    const { outcome: all } = metricTable.ledger_gateway_upstream_calls_total.labels;
    const slot = this.#calls.start + index * all.length + callOutcomeIndex(outcomeName);
    this.#values[slot] = (this.#values[slot] ?? 0) + 1;
    this.#observe(this.#callDurations, index, durationMs / 1_000);
  }

  sponsorship({ event, budget, gasUsed, rule }: SponsorshipFacts): void {
    if (rule) this.add('ledger_gateway_policy_refusals_total', 1, ruleIndex(rule));
    this.add('ledger_gateway_sponsorship_events_total', 1, sponsorshipIndex(event));
    if (event === 'reserved' && budget !== null) this.add('ledger_gateway_gas_reserved_total', budget);
    if ((event === 'executed' || event === 'failed' || event === 'recovered') && gasUsed)
      this.add('ledger_gateway_gas_used_total', Math.max(0, gasUsed));
  }

  loopDelay(delayMs: number): void {
    this.#observe(this.#delays, 0, delayMs / 1_000);
  }

  liveLag(lagMs: number): void {
    this.#observe(this.#lags, 0, Math.max(0, lagMs) / 1_000);
  }

  /** Counts an event of an upstream. */
  ofUpstream(
    name:
      | 'ledger_gateway_upstream_retries_total'
      | 'ledger_gateway_upstream_refused_total'
      | 'ledger_gateway_upstream_ejections_total',
    upstream: string,
  ): void {
    this.add(name, 1, upstreamIndex(upstream));
  }

  /** @param index of the series, for a metric with one label */
  add(name: MetricName, amount = 1, index = 0): void {
    const slot = layouts[name].start + index;
    this.#values[slot] = (this.#values[slot] ?? 0) + amount;
  }

  #observe({ row, start, width }: MetricLayout, index: number, value: number): void {
    const buckets = row.buckets as readonly number[];
    const from = start + index * width;
    let bucket = 0;
    while (bucket < buckets.length && value > (buckets[bucket] as number)) bucket += 1;
    const values = this.#values;
    values[from + bucket] = (values[from + bucket] ?? 0) + 1;
    values[from + width - 1] = (values[from + width - 1] ?? 0) + value;
  }

  /** The numbers now, gauges included. A gauge that was not registered, or cannot be read, is NaN. */
  read(): MetricValues {
    for (const { row, start, series } of Object.values(layouts)) {
      if (row.type === 'gauge') this.#values.fill(Number.NaN, start, start + series.length);
    }
    for (const [position, read] of this.#gauges) this.#values[position] = read();
    // Whole numbers stay short in JSON, which carries them between processes.
    return Array.from(this.#values);
  }
}

/** The numbers of one worker, and the label value of its series. */
export interface WorkerValues {
  readonly worker: string;
  readonly values: MetricValues;
  /** Seconds since the worker sent them. */
  readonly ageSeconds: number;
}

/** Adds up counters and histograms; the gauges of `sum` stay. Keeps the counts of workers that have exited. */
export function addMetrics(sum: MetricValues | null, values: MetricValues): MetricValues {
  const total = sum ? [...sum] : new Array<number>(metricCount).fill(0);
  for (const { row, start, width, series } of Object.values(layouts)) {
    if (row.type === 'gauge') continue;
    for (let at = start; at < start + width * series.length; at += 1) total[at] = (total[at] ?? 0) + (values[at] ?? 0);
  }
  return total;
}

/**
 * The page in Prometheus' text format 0.0.4.
 * @param totals of all processes
 * @param clients of the daily gas budgets, by position
 * @param workers each of them, whose gauges get a label of their own; empty if the gateway is one process
 */
export function toMetricsPage(
  totals: MetricValues,
  clients: readonly string[] = [],
  workers: readonly WorkerValues[] = [],
): string {
  let page = '';
  for (const [name, layout] of Object.entries(layouts)) {
    const { row } = layout;
    const lines = row.type === 'gauge' && workers.length > 0 ? '' : seriesText(name, layout, totals, clients);
    const each =
      row.type === 'gauge'
        ? workers.map(({ worker, values }) => seriesText(name, layout, values, clients, worker)).join('')
        : '';
    if (lines + each !== '') page += `# HELP ${name} ${row.help}\n# TYPE ${name} ${row.type}\n${lines}${each}`;
  }
  if (workers.length === 0) return page;
  const ages = workers.map(({ worker, ageSeconds }) => `${ageName}{worker="${worker}"} ${ageSeconds}\n`).join('');
  return `${page}# HELP ${ageName} Seconds since a worker last sent its numbers.\n# TYPE ${ageName} gauge\n${ages}`;
}

const ageName = 'ledger_gateway_worker_age_seconds';

/** Omits series that were never counted, except those without labels. */
function seriesText(
  name: string,
  { row, start, width, series }: MetricLayout,
  values: MetricValues,
  clients: readonly string[],
  worker = '',
): string {
  const names = Object.keys(row.labels);
  const isBudget = row.labels.client === budgetPositions;
  let text = '';
  for (const [index, labelValues] of series.entries()) {
    const at = start + index * width;
    const shown = isBudget ? clients.slice(index, index + 1) : labelValues;
    if (shown.length < names.length) continue;
    const labels = shown.map((value, position) => `${names[position]}="${value}"`);
    if (worker !== '') labels.push(`worker="${worker}"`);
    if (row.buckets) text += histogramText(name, row.buckets, labels, values.slice(at, at + width));
    else {
      const value = values[at] ?? Number.NaN;
      const isCounted = row.type === 'gauge' ? !Number.isNaN(value) : value !== 0 || names.length === 0;
      if (isCounted) text += `${name}${labelText(labels)} ${value}\n`;
    }
  }
  return text;
}

function histogramText(
  name: string,
  buckets: readonly number[],
  labels: readonly string[],
  values: MetricValues,
): string {
  const counts = values.slice(0, -1);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0 && labels.length > 0) return '';
  let below = 0;
  let text = '';
  for (const [index, count] of counts.entries()) {
    below += count;
    text += `${name}_bucket${labelText([...labels, `le="${buckets[index] ?? '+Inf'}"`])} ${below}\n`;
  }
  return `${text}${name}_sum${labelText(labels)} ${values.at(-1)}\n${name}_count${labelText(labels)} ${total}\n`;
}

const labelText = (labels: readonly string[]): string => (labels.length === 0 ? '' : `{${labels.join(',')}}`);

/** Media type of the page. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** Milliseconds between two measurements of the event loop's delay. */
const sampleMs = 100;

/** Measures the delay of the event loop. @returns a function that stops it */
export function watchLoopDelay(metrics: Pick<Metrics, 'loopDelay'>): () => void {
  let dueMs = performance.now() + sampleMs;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    metrics.loopDelay(Math.max(0, nowMs - dueMs));
    dueMs = nowMs + sampleMs;
  }, sampleMs).unref();
  return () => clearInterval(timer);
}
