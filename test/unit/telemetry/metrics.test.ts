import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { metricTable } from '../../../src/telemetry/metric-table.ts';
import { addMetrics, Metrics, toMetricsPage, watchLoopDelay } from '../../../src/telemetry/metrics.ts';
import type { OperationFacts, RequestFacts } from '../../../src/telemetry/request-line.ts';

const usage = { inputNodes: 4, outputNodes: 60, depth: 3, variables: 0, fragments: 0, queryPayload: 40 };
const operation: OperationFacts = {
  caller: 'address:127.0.0.1',
  name: null,
  type: 'query',
  plan: 'LOCAL',
  errors: 0,
  calls: 1,
  usage,
};
const request: RequestFacts = {
  requestId: 'r1',
  method: 'POST',
  path: '/graphql',
  status: 200,
  durationMs: 3,
  operations: [operation],
};

/** The series of a page by name and labels. */
function seriesOf(page: string): Map<string, number> {
  const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

const read = (metrics: Metrics) => seriesOf(toMetricsPage(metrics.read()));

describe('a request', () => {
  test('counts by transport, plan and first error code', () => {
    const metrics = new Metrics();
    metrics.request({ ...request, lane: true });
    metrics.request({ ...request, codes: ['BAD_USER_INPUT', 'FORBIDDEN'] });
    metrics.request({ ...request, operations: [], codes: ['BAD_REQUEST'] });
    metrics.socketOperation(request);
    const requests = [...read(metrics)].filter(([name]) => name.startsWith('ledger_gateway_requests_total'));
    expect(Object.fromEntries(requests)).toEqual({
      'ledger_gateway_requests_total{transport="lane",plan="LOCAL",outcome="ok"}': 1,
      'ledger_gateway_requests_total{transport="http",plan="LOCAL",outcome="BAD_USER_INPUT"}': 1,
      'ledger_gateway_requests_total{transport="http",plan="none",outcome="BAD_REQUEST"}': 1,
      'ledger_gateway_requests_total{transport="websocket",plan="LOCAL",outcome="ok"}': 1,
    });
  });

  test('cannot add series: an unknown code or plan counts as other', () => {
    const metrics = new Metrics();
    for (const code of ['A', 'B'])
      metrics.request({ ...request, operations: [{ ...operation, plan: code }], codes: [code] });
    expect(read(metrics).get('ledger_gateway_requests_total{transport="http",plan="other",outcome="other"}')).toBe(2);
  });

  test('has its duration in cumulative buckets, unless it is a subscription', () => {
    const metrics = new Metrics();
    for (const durationMs of [1, 3, 60_000]) metrics.request({ ...request, durationMs });
    metrics.request({ ...request, operations: [{ ...operation, type: 'subscription' }] });
    const series = read(metrics);
    const bucket = (le: string) =>
      series.get(`ledger_gateway_request_duration_seconds_bucket{plan="LOCAL",le="${le}"}`);
    expect(['0.001', '0.0025', '0.005', '10', '+Inf'].map(bucket)).toEqual([1, 1, 2, 2, 3]);
    expect(series.get('ledger_gateway_request_duration_seconds_count{plan="LOCAL"}')).toBe(3);
    expect(series.get('ledger_gateway_request_duration_seconds_sum{plan="LOCAL"}')).toBeCloseTo(60.004);
  });

  test('has its usage per limit, and whether it was cached', () => {
    const metrics = new Metrics();
    metrics.request({
      ...request,
      operations: [
        { ...operation, from: 'memory' },
        { ...operation, usage: null },
      ],
    });
    const series = read(metrics);
    const limits = ['inputNodes', 'outputNodes', 'depth', 'queryPayload'];
    expect(limits.map((limit) => series.get(`ledger_gateway_usage_sum{limit="${limit}"}`))).toEqual([4, 60, 3, 40]);
    expect(series.get('ledger_gateway_usage_bucket{limit="inputNodes",le="5"}')).toBe(1);
    expect(series.get('ledger_gateway_cached_operations_total')).toBe(1);
  });
});

test('an upstream call counts by status class, or by the reason without a response', () => {
  const metrics = new Metrics();
  metrics.upstreamCall('ledger', 200, 4);
  metrics.upstreamCall('sponsor', 503, 4);
  metrics.upstreamCall('events', 'timeout', 5_000);
  metrics.upstreamCall('prices', 'garbled', 1);
  const calls = [...read(metrics)].filter(([name]) => name.startsWith('ledger_gateway_upstream_calls_total'));
  expect(Object.fromEntries(calls)).toEqual({
    'ledger_gateway_upstream_calls_total{upstream="ledger",outcome="2xx"}': 1,
    'ledger_gateway_upstream_calls_total{upstream="sponsor",outcome="5xx"}': 1,
    'ledger_gateway_upstream_calls_total{upstream="events",outcome="timeout"}': 1,
    'ledger_gateway_upstream_calls_total{upstream="other",outcome="other"}': 1,
  });
});

test('gas counts when it is reserved, and when a transaction used it', () => {
  const metrics = new Metrics();
  const event = { caller: 'client:a', leaseId: 'l', requestId: 'r', budget: 500 } as const;
  metrics.sponsorship({ ...event, event: 'reserved' });
  metrics.sponsorship({ ...event, event: 'dispatched' });
  metrics.sponsorship({ ...event, event: 'executed', gasUsed: 120 });
  metrics.sponsorship({ ...event, event: 'failed', gasUsed: 30 });
  metrics.sponsorship({ ...event, event: 'refused', gasUsed: null });
  metrics.sponsorship({ ...event, event: 'recovered', gasUsed: 5 });
  // Repeats, unknown gas and rebates change neither sum.
  metrics.sponsorship({ ...event, event: 'recovered', gasUsed: null });
  metrics.sponsorship({ ...event, event: 'executed', gasUsed: -3 });
  metrics.sponsorship({ ...event, event: 'replayed', gasUsed: 120 });
  for (const repeated of ['reserve-replayed', 'reserve-refused', 'reserve-lost'] as const)
    metrics.sponsorship({ ...event, event: repeated });
  metrics.sponsorship({ ...event, event: 'reserved', budget: null });
  const series = read(metrics);
  expect(series.get('ledger_gateway_gas_reserved_total')).toBe(500);
  expect(series.get('ledger_gateway_gas_used_total')).toBe(155);
  expect(series.get('ledger_gateway_sponsorship_events_total{event="refused"}')).toBe(1);
});

test('the lag of live streams is never negative, since clocks differ', () => {
  const metrics = new Metrics();
  for (const lagMs of [-40, 300]) metrics.liveLag(lagMs);
  const series = read(metrics);
  expect(series.get('ledger_gateway_live_lag_seconds_sum')).toBe(0.3);
  expect(series.get('ledger_gateway_live_lag_seconds_bucket{le="0.25"}')).toBe(1);
});

test('the delay of the event loop is measured every 0.1 s until it is stopped', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const delays: number[] = [];
  const stop = watchLoopDelay({ loopDelay: (delayMs) => delays.push(delayMs) });
  vi.advanceTimersByTime(300);
  expect(delays).toEqual([0, 0, 0]);
  stop();
  expect(vi.getTimerCount()).toBe(0);
});

describe('the page of several workers', () => {
  const one = new Metrics();
  one.request(request);
  one.gauge('ledger_gateway_live_streams', () => 3);
  const two = new Metrics();
  two.request(request);
  // As numbers arrive from a worker: JSON has no NaN.
  const [first, second] = [one, two].map((metrics) => JSON.parse(JSON.stringify(metrics.read())) as number[]);
  const counts = [first, second].reduce<readonly number[]>(
    (sum, values) => addMetrics(sum, values ?? []),
    addMetrics(null, []),
  );
  const workers = [
    { worker: '1', values: first ?? [], ageSeconds: 0.5 },
    { worker: '2', values: second ?? [], ageSeconds: 12 },
  ];
  const series = seriesOf(toMetricsPage(counts, [], workers));

  test('adds up counters and histograms', () => {
    expect(series.get('ledger_gateway_requests_total{transport="http",plan="LOCAL",outcome="ok"}')).toBe(2);
    expect(series.get('ledger_gateway_request_duration_seconds_count{plan="LOCAL"}')).toBe(2);
  });

  test('shows the gauges and the age of each worker', () => {
    expect(series.get('ledger_gateway_live_streams{worker="1"}')).toBe(3);
    expect(series.has('ledger_gateway_live_streams{worker="2"}')).toBe(false);
    expect(series.get('process_resident_memory_bytes{worker="2"}')).toBeGreaterThan(1e6);
    expect(series.get('ledger_gateway_worker_age_seconds{worker="2"}')).toBe(12);
  });
});

test('every series has its help and type once, before it', () => {
  const metrics = new Metrics();
  metrics.request(request);
  const page = toMetricsPage(metrics.read());
  const types = [...page.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)].map(([, name]) => name);
  expect(new Set(types).size).toBe(types.length);
  for (const name of types)
    expect(page).toContain(`# HELP ${name} ${metricTable[name as 'ledger_gateway_usage'].help}\n`);
});

test.each(['dashboard.json', 'alerts.yaml'])('docs/deploy/%s uses only metrics of the table', (file) => {
  const text = readFileSync(new URL(`../../../docs/deploy/${file}`, import.meta.url), 'utf8');
  const named = [...text.matchAll(/\b(?:ledger_gateway|process|nodejs)_\w+/g)].map(([name]) =>
    name.replace(/_(?:bucket|sum|count)$/, ''),
  );
  expect(named.length).toBeGreaterThan(5);
  const known = [...Object.keys(metricTable), 'ledger_gateway_worker_age_seconds'];
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

test('a gauge of a budget names its client, and one without a client is left out', () => {
  const metrics = new Metrics();
  for (const position of ['1', '2']) metrics.gauge('ledger_gateway_gas_budget_used_ratio', () => 0.5, [position]);
  const lines = toMetricsPage(metrics.read(), ['client:page']).split('\n');
  expect(lines.filter((line) => line.startsWith('ledger_gateway_gas_budget_used_ratio'))).toEqual([
    'ledger_gateway_gas_budget_used_ratio{client="client:page"} 0.5',
  ]);
});
