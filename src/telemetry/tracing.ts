import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace as traceApi,
} from '@opentelemetry/api';
import { type ErrorCode, errorCatalogue } from '../errors/catalogue.ts';
import type { CallTrace, Trace, TracedFacts } from './trace.ts';

export interface TracingOptions {
  /** Share of the requests that are traced, from 0 to 1, where the client's `traceparent` does not decide. */
  readonly ratio: number;
  /** Whether calls to upstreams carry `traceparent`. */
  readonly sendsContext: boolean;
  /** Returns a random number between 0 and 1. */
  readonly random: () => number;
}

export interface Tracing {
  /** @param traceparent of the client, which decides whether its request is traced. @returns `null` for no trace */
  begin(traceparent: string | string[] | undefined): Trace | null;
  /** Exports the spans that have ended, for at most `flushMs`. */
  flush(): Promise<void>;
}

/** Maximum milliseconds for exporting spans at the stop, in case the collector is unavailable. */
const flushMs = 1_000;

/** @returns `null` if no SDK is registered, or only one that does not support the API version */
export function openTracing(options: TracingOptions): Tracing | null {
  const tracer = traceApi.getTracer('ledger-gateway');
  // This span is never ended, so it is never exported.
  if (!isSpanContextValid(tracer.startSpan('start').spanContext())) return null;
  return {
    // Decide before creating a span: an SDK's own sampler runs inside `startSpan`, after most of the cost.
    begin(header) {
      const parent = readTraceparent(header);
      const isSampled = parent ? (parent.traceFlags & TraceFlags.SAMPLED) !== 0 : options.random() < options.ratio;
      if (!isSampled) return null;
      const from = parent ? traceApi.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      return new SpanTrace(tracer, tracer.startSpan('request', { kind: SpanKind.SERVER }, from), options.sendsContext);
    },
    async flush() {
      const provider = traceApi.getTracerProvider() as { getDelegate?: () => { forceFlush?: () => Promise<void> } };
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, flushMs);
      });
      await Promise.race([late, provider.getDelegate?.().forceFlush?.()]).catch(() => {});
      clearTimeout(timer);
    },
  };
}

const traceparentForm = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

/** Reads the header of W3C Trace Context. @returns `null` if it is absent or malformed */
function readTraceparent(header: string | string[] | undefined) {
  const found = typeof header === 'string' ? traceparentForm.exec(header) : null;
  if (!found) return null;
  const [, traceId = '', spanId = '', flags = ''] = found;
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parent) ? parent : null;
}

/** A span for the request, with one below it for each call to an upstream. Attributes follow OpenTelemetry's conventions. */
class SpanTrace implements Trace {
  readonly traceId: string;
  readonly spanId: string;
  readonly #tracer: Tracer;
  readonly #span: Span;
  readonly #sendsContext: boolean;

  constructor(tracer: Tracer, span: Span, sendsContext: boolean) {
    const { traceId, spanId } = span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
    this.#tracer = tracer;
    this.#span = span;
    this.#sendsContext = sendsContext;
  }

  startCall(upstream: string, host: string, method: string, attempt: number): CallTrace {
    const attributes = {
      'http.request.method': method,
      'server.address': host,
      'ledger_gateway.upstream': upstream,
      ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
    };
    const parent = traceApi.setSpan(context.active(), this.#span);
    const span = this.#tracer.startSpan(method, { kind: SpanKind.CLIENT, attributes }, parent);
    const { traceId, spanId } = span.spanContext();
    return {
      headers: this.#sendsContext ? ['traceparent', `00-${traceId}-${spanId}-01`] : [],
      ended(outcome) {
        if (typeof outcome === 'number') span.setAttribute('http.response.status_code', outcome);
        if (typeof outcome === 'string' || outcome >= 400) {
          span.setAttribute('error.type', String(outcome));
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
  }

  end({ method, path, status, operations, codes = [] }: TracedFacts): void {
    const span = this.#span;
    const [first, second] = operations;
    if (method !== undefined) span.setAttribute('http.request.method', method);
    if (path !== undefined) span.setAttribute('url.path', path);
    if (status !== undefined) span.setAttribute('http.response.status_code', status);
    if (second) {
      span.updateName('batch');
      span.setAttribute('ledger_gateway.operations', operations.length);
    } else if (first) {
      span.updateName(first.type);
      span.setAttributes({
        'graphql.operation.type': first.type,
        ...(first.name !== null && { 'graphql.operation.name': first.name }),
        'ledger_gateway.plan': first.plan,
      });
    }
    const [code] = codes;
    if (code !== undefined) span.setAttribute('error.type', code);
    // Do not count client mistakes as server errors.
    if ((status ?? 0) >= 500 || codes.some(isServerError)) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
}

function isServerError(code: string): boolean {
  return Object.hasOwn(errorCatalogue, code) && errorCatalogue[code as ErrorCode].status >= 500;
}
