import { randomBytes } from 'node:crypto';
import { type ExecutionResult, graphql } from 'graphql';
import { Pool } from 'undici';
import { Secret } from '../../src/config/secret.ts';
import { hashCoins } from '../../src/sponsor/leases.ts';
import { createSponsorClient, type SponsorObservation } from '../../src/sponsor/sponsor-client.ts';
import { createSponsorResolvers } from '../../src/sponsor/sponsor-resolvers.ts';
import { type Cancellation, createCancellation } from '../../src/upstream/cancellation.ts';
import { letRunOn } from '../../src/upstream/run-on.ts';
import { createSendCall } from '../../src/upstream/send-call.ts';
import { createUpstreamCall } from '../../src/upstream/upstream-call.ts';
import { createOwnSchema } from './own-schema.ts';
import { toTestServices } from './sponsorship-services.ts';
import { toTestCaller } from './test-caller.ts';

export interface SponsorGraphOptions {
  readonly origin: string;
  readonly token: string;
  /** Default `token`. */
  readonly auth?: 'forward' | 'token';
  /** Default `off`: most tests do not send parseable transactions. */
  readonly preflight?: 'enforce' | 'warn' | 'off';
  readonly requestTypeKey?: 'requestType' | 'request_type';
  readonly mutationMs?: number;
  readonly maxResponseBytes?: number;
  readonly now?: () => number;
}

export interface SponsorGraph extends AsyncDisposable {
  /** Reported to the operator, not to the client. */
  readonly observations: readonly SponsorObservation[];
  /** About transactions that were sent nevertheless. */
  readonly doubts: readonly string[];
  /** The `reservationId` that the caller would get for this sponsor number. */
  lease(rawReservationId: string): Promise<string>;
  ask(
    source: string,
    request?: {
      readonly variables?: Record<string, unknown>;
      readonly authorization?: string | null;
      readonly cancellation?: Cancellation;
    },
  ): Promise<ExecutionResult>;
}

/** The sponsor part of the graph, connected to a sponsor over real sockets. The caller has every scope. */
export function createSponsorGraph({
  origin,
  token,
  auth = 'token',
  preflight = 'off',
  requestTypeKey = 'requestType',
  mutationMs = 10_000,
  maxResponseBytes = 1_000_000,
  now = () => Date.UTC(2026, 0, 31),
}: SponsorGraphOptions): SponsorGraph {
  const dispatcher = new Pool(origin);
  const observations: SponsorObservation[] = [];
  const doubts: string[] = [];
  const client = createSponsorClient({
    call: createUpstreamCall(
      letRunOn({
        watch: { answered() {}, failed() {} },
        changes: { count: 0 },
        gateway: { isStopping: false },
      })(createSendCall({ dispatcher, maxResponseBytes })),
    ),
    path: '',
    requestTypeKey,
    timeouts: { queryMs: 10_000, mutationMs },
    observe: (observation) => observations.push(observation),
  });
  const services = toTestServices(auth, now);
  const { id } = toTestCaller();
  const schema = createOwnSchema(
    createSponsorResolvers({
      client,
      sponsorship: {
        auth,
        token: new Secret(token),
        maxGasBudgetExclusive: 2_000_000_000,
        maxOpenReservations: null,
        preflight,
        unreadable: 'refuse',
        dryRun: 'off',
      },
      limits: { maxTransactionPayloadBytes: 10_000 },
      mutationMs,
      services,
      doubted: (transaction) => doubts.push(transaction.reason),
      now,
    }),
  );

  return {
    observations,
    doubts,
    async lease(rawReservationId) {
      const leaseId = randomBytes(16).toString('base64url');
      const [nowMs, amount] = [now(), 5_000_000];
      const expiresAtMs = nowMs + 60_000;
      const begin = {
        caller: id,
        leaseId,
        expiresAtMs,
        sender: null,
        holds: [],
        idempotency: null,
        answerByMs: nowMs,
        nowMs,
      };
      await services.store.beginReservation(begin);
      await services.store.endReservation({ caller: id, leaseId, nowMs, outcome: { kind: 'reserved', answer: '{}' } });
      const terms = { rawReservationId, sponsorAddress: '0x5', gasBudget: amount, coinsHash: hashCoins([]) };
      return services.leases?.sign({ ...terms, leaseId, issuedAtMs: nowMs, expiresAtMs }, id) ?? rawReservationId;
    },
    ask: (source, { variables = {}, authorization = null, cancellation = createCancellation() } = {}) =>
      graphql({
        schema,
        source,
        variableValues: variables,
        contextValue: {
          requestId: 'r',
          cancellation,
          caller: toTestCaller({
            authorization: authorization === null ? null : new Secret(authorization),
            scopes: new Set(['read', 'sponsor', 'admin']),
          }),
        },
      }),
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}

/** Message and extensions of the first error. */
export function firstError({ errors }: ExecutionResult): Readonly<Record<string, unknown>> {
  return { message: errors?.[0]?.message, ...errors?.[0]?.extensions };
}
