import { hash } from 'node:crypto';
import type { Admission } from '../callers/caller-gate.ts';
import type { Config } from '../config/config.ts';
import { usageHeadersOf } from '../config/network-profile.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import { createMaskError } from '../errors/mask-error.ts';
import type { ConnectedGraph } from '../ledger/ledger-upstream.ts';
import { createAdmitOperation } from '../operation/admit-operation.ts';
import type { FairTurns } from '../operation/fair-turns.ts';
import { createOperationRunner } from '../operation/operation-runner.ts';
import { createRunPlan } from '../operation/run-plan.ts';
import { createOpenEventStream } from '../server/event-stream.ts';
import { createBytesInFlight } from '../server/read-body.ts';
import { createLane } from '../server/serve-graphql.ts';
import { createSocketServer } from '../server/websocket/socket-server.ts';
import { createYogaTransport } from '../server/yoga.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { WatchedSchema } from './watch-schema.ts';

export interface OpenTransportsOptions {
  readonly config: Config;
  readonly admission: Pick<Admission, 'gate' | 'addresses'>;
  readonly schema: Pick<WatchedSchema, 'keeper'>;
  readonly trusted: TrustedDocuments;
  readonly graph: Pick<ConnectedGraph, 'forward' | 'raw'>;
  readonly turns: FairTurns;
  readonly telemetry: Telemetry;
  readonly tracing: Tracing | null;
}

export type Transports = ReturnType<typeof openTransports>;

/** Opens the transports, which run operations by the same code. */
export function openTransports(options: OpenTransportsOptions) {
  const { config, admission, schema, trusted, graph, turns, telemetry, tracing } = options;
  const { keeper } = schema;
  const { limits, timeouts } = config;
  const admit = createAdmitOperation({
    gate: admission.gate,
    keeper,
    cost: config.rateLimit.cost,
    turns,
    trusted,
    policy: config.settings.TRUSTED_DOCUMENTS_POLICY,
    onUntrusted: ({ id }, text, operation) =>
      telemetry.documentUntrusted({ caller: id, hash: hash('sha256', text), operation }),
    longestMs: Math.max(timeouts.queryMs, timeouts.mutationMs),
  });
  const maskError = createMaskError(telemetry.errorMasked);
  const runner = createOperationRunner({
    timeouts,
    turns,
    charge: admit.charge,
    maskError,
    runPlan: createRunPlan(graph.forward),
    ledger: graph.raw,
  });
  const life = { admit, runner };
  const bytesInFlight = createBytesInFlight(limits.maxBodyBytes);

  const yoga = createYogaTransport({ ...life, maxBatchSize: config.settings.BATCH_MAX, keeper, turns, maskError });
  const sockets = createSocketServer({
    ...life,
    maskError,
    addresses: admission.addresses,
    maxMessageBytes: limits.maxBodyBytes,
    bytesInFlight,
    maxGreetingBytes: limits.sockets.maxGreetingBytes,
    maxOperations: limits.sockets.maxOperations,
    usageHeaders: usageHeadersOf(config.profile),
    onOperation: telemetry.socketOperationEnded,
    tracing,
  });
  return {
    /** Transports in the form that the listener takes. */
    transports: {
      graphql: yoga,
      lane: createLane({ ...life, maskError }),
      openEventStream: createOpenEventStream({ runner, maskError }),
      sockets,
      admit,
      enter: admit.enter,
      turns,
      bytesInFlight,
      tracing,
    },
    close: () => yoga.dispose(),
  };
}
