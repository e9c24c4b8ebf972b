import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { spawnGateway } from '../support/spawn-gateway.ts';

/** A collector of spans over HTTP, as a backend for traces has one. */
async function startCollector() {
  // biome-ignore lint/suspicious/noExplicitAny: the OTLP format is read, not programmed against
  const spans: any[] = [];
  const server = createServer(async (req, res) => {
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const { resourceSpans } = (await json(req)) as any;
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { spans, url, [Symbol.asyncDispose]: async () => void server.close() };
}

const query = (url: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ chainIdentifier }' }),
  });

test('a named collector gets the spans of the built program, the last ones while it stops', async () => {
  await using collector = await startCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRACE_RATIO: '1' };
  await using gateway = await spawnGateway(env);
  expect((await query(gateway.url)).status).toBe(200);
  gateway.cli.child.kill('SIGINT');
  await gateway.cli.ended;
  expect(collector.spans.map(({ name }) => name).sort()).toEqual(['POST', 'query']);
  const [call, request] = collector.spans[0].name === 'POST' ? collector.spans : collector.spans.toReversed();
  expect(call.parentSpanId).toBe(request.spanId);
  expect(gateway.logged('request')).toMatchObject([{ trace_id: request.traceId, span_id: request.spanId }]);
});

test('OTEL_* variables without an SDK are warned of', async () => {
  await using gateway = await spawnGateway({ OTEL_SERVICE_NAME: 'gateway' });
  expect(
    gateway.logged(
      'OTEL_* variables are set but spans are not exported: set OTEL_EXPORTER_OTLP_ENDPOINT, or load an OpenTelemetry SDK with --import that accepts version 1.9 of @opentelemetry/api',
    ),
  ).toHaveLength(1);
});
