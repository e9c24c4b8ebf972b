import { context, SpanKind, SpanStatusCode, trace as traceApi } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openWebSocket } from '../../support/open-websocket.ts';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway } from '../../support/test-gateway.ts';

const exporter = new InMemorySpanExporter();
let ledger: ScriptedLedger;

beforeAll(async () => {
  const chain = { chainIdentifier: () => '4c78adac' };
  ledger = await startScriptedLedger('type Query { chainIdentifier: String! }', { Query: chain });
  traceApi.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
});
beforeEach(() => exporter.reset());
afterAll(async () => {
  traceApi.disable();
  context.disable();
  await ledger?.close();
});

const parentId = '00f067aa0ba902b7';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const sampled = { traceparent: `00-${traceId}-${parentId}-01` };
const unsampled = { traceparent: `00-${traceId}-${parentId}-00` };

const open = (env: Record<string, string> = {}) => createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, ...env });

/** The spans of servers that have ended. */
const requests = (): ReadableSpan[] => exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER);
const calls = (): ReadableSpan[] => exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.CLIENT);

describe('a request that its client samples', () => {
  test('has a span, with one below it for the call to the ledger', async () => {
    await using gateway = await open({ TRACE_RATIO: '0' });
    expect((await gateway.query('query Chain { chainIdentifier }', {}, sampled)).data.chainIdentifier).toBe('4c78adac');
    await expect.poll(() => requests().length).toBe(1);
    const [request] = requests();
    expect(request).toMatchObject({
      name: 'query',
      parentSpanContext: { traceId, spanId: parentId },
      attributes: {
        'http.request.method': 'POST',
        'url.path': '/graphql',
        'http.response.status_code': 200,
        'graphql.operation.type': 'query',
        'graphql.operation.name': 'Chain',
        'ledger_gateway.plan': 'PASS_THROUGH',
      },
      status: { code: SpanStatusCode.UNSET },
    });
    const { spanId } = request?.spanContext() ?? {};
    expect(
      calls().map(({ name, parentSpanContext, attributes }) => [name, parentSpanContext?.spanId, attributes]),
    ).toEqual([
      [
        'POST',
        spanId,
        {
          'http.request.method': 'POST',
          'server.address': '127.0.0.1',
          'ledger_gateway.upstream': 'ledger',
          'http.response.status_code': 200,
        },
      ],
    ]);
    expect(gateway.log.find(({ msg }) => msg === 'request')).toMatchObject({ trace_id: traceId, span_id: spanId });
  });

  test('names its first error, and is an error itself if the gateway is at fault', async () => {
    await using gateway = await open({ TRACE_RATIO: '0' });
    await gateway.query('{ nothing }', {}, sampled);
    ledger.override = () => 'reset';
    await gateway.query('{ again: chainIdentifier }', {}, sampled);
    ledger.override = undefined;
    await expect
      .poll(() => requests().map(({ attributes, status }) => [attributes['error.type'], status.code]))
      .toEqual([
        ['GRAPHQL_VALIDATION_FAILED', SpanStatusCode.UNSET],
        ['UPSTREAM_UNAVAILABLE', SpanStatusCode.ERROR],
      ]);
    expect(calls().map(({ attributes, status }) => [attributes['error.type'], status.code])).toEqual([
      ['interrupted', SpanStatusCode.ERROR],
    ]);
  });

  test.each([
    ['false', undefined],
    ['true', expect.stringMatching(`^00-${traceId}-(?!${parentId})[0-9a-f]{16}-01$`)],
  ])('with TRACE_UPSTREAMS=%s', async (TRACE_UPSTREAMS, sent) => {
    await using gateway = await open({ TRACE_RATIO: '0', TRACE_UPSTREAMS });
    await gateway.query(
      `{ c${TRACE_UPSTREAMS}: chainIdentifier }`,
      {},
      { ...sampled, tracestate: 'a=b', baggage: 'c=d' },
    );
    expect(ledger.headers.at(-1)).not.toMatchObject({ tracestate: expect.anything() });
    expect(ledger.headers.at(-1)).not.toMatchObject({ baggage: expect.anything() });
    expect(ledger.headers.at(-1)?.traceparent).toEqual(sent);
  });
});

describe('TRACE_RATIO', () => {
  test('decides for requests without a valid traceparent, and not for a probe', async () => {
    await using gateway = await open({ TRACE_RATIO: '1' });
    await gateway.query('{ chainIdentifier }');
    await gateway.query('{ chainIdentifier }', {}, { traceparent: '00-0-0-01' });
    await gateway.query('{ chainIdentifier }', {}, unsampled);
    await fetch(`${gateway.url}/health/live`);
    await expect.poll(() => gateway.log.filter(({ msg }) => msg === 'request').length).toBeGreaterThanOrEqual(3);
    expect(requests().map(({ parentSpanContext }) => parentSpanContext)).toEqual([undefined, undefined]);
  });

  test('of 0 traces nothing else', async () => {
    await using gateway = await open({ TRACE_RATIO: '0' });
    await gateway.query('{ chainIdentifier }');
    await gateway.query('{ chainIdentifier }', {}, unsampled);
    await gateway.close();
    expect(exporter.getFinishedSpans()).toEqual([]);
    expect(gateway.log.find(({ msg }) => msg === 'request')).not.toHaveProperty('trace_id');
  });

  test('counts for operations over a WebSocket', async () => {
    await using gateway = await open({ TRACE_RATIO: '1' });
    const client = await openWebSocket(`${gateway.url.replace('http', 'ws')}/graphql`);
    client.send({ type: 'connection_init' });
    await expect.poll(() => client.messages).toContainEqual(expect.objectContaining({ type: 'connection_ack' }));
    client.send({ id: '1', type: 'subscribe', payload: { query: '{ chainIdentifier }' } });
    await expect.poll(requests).toHaveLength(1);
    expect(requests()[0]).toMatchObject({ name: 'query', attributes: { 'graphql.operation.type': 'query' } });
    expect(calls()).toHaveLength(1);
    client.socket.terminate();
    expect(gateway.log.find(({ msg }) => msg === 'operation over a WebSocket')).toMatchObject({
      trace_id: requests()[0]?.spanContext().traceId,
    });
  });
});
