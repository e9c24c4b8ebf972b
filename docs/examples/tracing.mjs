// Loads an OpenTelemetry SDK before the gateway: node --import ./docs/examples/tracing.mjs dist/cli.js serve
// The exporter reads OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS.
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

trace.setGlobalTracerProvider(
  new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME ?? 'ledger-gateway' }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  }),
);
