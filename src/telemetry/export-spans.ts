import { randomUUID } from 'node:crypto';
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

/** Registers an SDK in this process that sends spans by OTLP over HTTP. The exporter reads `OTEL_EXPORTER_OTLP_*`. */
export function exportSpans(serviceName: string): void {
  const resource = resourceFromAttributes({ 'service.name': serviceName, 'service.instance.id': randomUUID() });
  const spanProcessors = [new BatchSpanProcessor(new OTLPTraceExporter())];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ resource, spanProcessors }));
}
