import type { LogWriter } from './log-writer.ts';
import { logDurably } from './logger.ts';
import { Metrics } from './metrics.ts';
import { createLineSampler, createOutageLines } from './repeated-lines.ts';
import { maxLoggedName, type OperationFacts, type RequestFacts } from './request-line.ts';
import {
  durableEvents,
  type SponsorshipFacts,
  shownLeaseCharacters,
  toShownCaller,
  toSponsorshipLine,
} from './sponsorship-line.ts';
import type { Trace } from './trace.ts';

export interface SocketOperationFacts {
  /** Request id of the WebSocket, or of the request that began it. */
  readonly requestId: string;
  readonly durationMs: number;
  /** Operations of the WebSocket message; none if it was rejected. */
  readonly operations: readonly OperationFacts[];
  /** The first few different codes of its errors; left out if there are none. */
  readonly codes?: readonly string[];
  /** `null` or left out: it is not traced. */
  readonly trace?: Trace | null;
}

/** Changes of the clients, by their ids, and their number now. */
export interface ClientsRead {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly clients: number;
}

/** Numbers of changed trusted documents, and of all of them now. */
export interface DocumentsRead {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly documents: number;
}

export interface ServiceFacts {
  readonly url: string;
  readonly devnet: boolean;
  /** Where the ledger's part of the schema came from. */
  readonly schema: string;
  readonly profile: string;
  /** Number of worker processes; left out if the gateway is a single process. */
  readonly workers?: number;
}

type SchemaFault = Error & { readonly faults: readonly string[] };

export interface SchemaFacts {
  readonly origin: string;
  readonly fingerprint: string;
  /** Breaking changes since the previous schema; left out for the first one. */
  readonly breaking?: number;
}

export interface SchemaReadFailure {
  /** The setting that has the ledger's address, and the host in it. */
  readonly setting: string;
  readonly host: string;
  readonly reason: string;
  /** The error, if it is a fault of the gateway. */
  readonly err?: unknown;
}

/** The outcome of a sponsored transaction that could not be stored, and will not be. */
export interface UnstoredOutcome extends Pick<SponsorshipFacts, 'caller'> {
  readonly leaseId: string;
  /** `null`: there is no transaction. */
  readonly digest: string | null;
  readonly outcome: string;
}

/** A response of the sponsor that operators should see and clients do not. */
export interface SponsorFacts {
  readonly endpoint: string;
  /** HTTP status of the response; `null` without a response. */
  readonly status: number | null;
  readonly what: string;
  readonly digest?: string;
  readonly reservationId?: string;
  readonly text: string;
}

/** A transaction that was sent although it does not match its reservation, or cannot be parsed. */
export interface UncheckedTransaction {
  readonly caller: string;
  readonly requestId: string;
  readonly digest: string;
  readonly reason: string;
}

/** Readers of live streams, or streams that catch up, without progress. */
export interface LiveStall {
  readonly who: 'reader' | 'stream';
  readonly count: number;
  readonly waitsFor: string;
  /** Milliseconds without progress. */
  readonly forMs: number;
}

/** A document that is not in the manifest. */
export interface UntrustedDocument {
  readonly caller: string;
  /** SHA-256 of its text, in hex. */
  readonly hash: string;
  readonly operation: string | null;
}

export interface OtherNetwork {
  readonly upstream: string;
  /** Its position in the setting, from 1. */
  readonly address: string;
  readonly chainIdentifier: string;
  /** The chain identifier of the addresses in use. */
  readonly expected: string;
}

export interface WorkerLoss {
  readonly worker: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it could not start, if known. */
  readonly reason?: string;
  /** Milliseconds until its replacement starts. */
  readonly againInMs: number;
}

/**
 * Everything the gateway reports to its operators, one function per event. Only this function writes the event's log line and
 * counts it. No function throws, and each works detached from the object.
 */
export type Telemetry = ReturnType<typeof createTelemetry>;

/** Documents of one log line, and characters of each. `explain --manifest` lists all. */
const maxShownDocuments = 10;
const maxShownReason = 200;
/** After this many untrusted documents, earlier ones are logged again. */
const maxKnownDocuments = 1_000;

/** A log line that cannot be written must not fail its request, and there is no other place to report it. */
function tryTo(write: () => void): void {
  try {
    write();
  } catch {}
}

const ofRedis = (reason: string) => ({ setting: 'REDIS_URL', reason });

/**
 * @param logger redacts its input, like that of `createLogger`
 * @param metrics counts the events
 * @param now milliseconds of any clock that only goes forward
 */
export function createTelemetry(
  logger: LogWriter,
  metrics = new Metrics(),
  now: () => number = () => performance.now(),
) {
  const { isNewOutage, ongoing } = createOutageLines(now);
  let documents = new Set<string>();
  const isNewDocument = (key: string): boolean => {
    if (documents.has(key)) return false;
    // Callers can invent any number of documents.
    if (documents.size >= maxKnownDocuments) documents = new Set();
    documents.add(key);
    return true;
  };
  const log = (level: 'debug' | 'info' | 'warn' | 'error', message: string, fields: object = {}): void => {
    if (level === 'warn' || level === 'error')
      metrics.add('ledger_gateway_log_messages_total', 1, level === 'warn' ? 0 : 1);
    tryTo(() => logger[level](fields, message));
  };
  const sampler = createLineSampler((alike) => log('info', 'further requests without an operation', alike));
  /** @param facts of a request that ran no operation */
  const logCheap = (
    message: string,
    facts: Pick<RequestFacts, 'codes'>,
    address: string,
    status: number,
    path = '',
  ) => {
    if (sampler.takes(address, path, status, facts.codes)) log('info', message, { ...facts, address });
  };
  return {
    /** @param address of the client; needed if no operation ran */
    requestAnswered: (request: RequestFacts, address = '') => {
      metrics.request(request);
      request.trace?.end(request);
      if (request.operations.length > 0) log('info', 'request', request);
      else logCheap('request', request, address, request.status, request.path);
    },
    /** A WebSocket upgrade was accepted or rejected; logged as a request. */
    upgradeAnswered: (request: RequestFacts, address: string) => {
      metrics.upgrade(request);
      // Each open WebSocket has a line with its request id.
      if (request.status === 101) log('info', 'request', request);
      else logCheap('request', request, address, request.status);
    },
    /** @param address of the client */
    socketOperationEnded: ({ trace = null, ...operation }: SocketOperationFacts, address: string) => {
      metrics.socketOperation(operation);
      trace?.end(operation);
      const ids = trace && { trace_id: trace.traceId, span_id: trace.spanId };
      const facts = { ...operation, ...ids };
      if (operation.operations.length > 0) log('info', 'operation over a WebSocket', facts);
      else logCheap('operation over a WebSocket', facts, address, 400);
    },
    /** The client got a fixed text in place of this error. */
    errorMasked: (err: unknown, requestId: string | undefined) =>
      log('error', 'an unexpected error was masked', { err, ...(requestId !== undefined && { requestId }) }),

    clientsRead: (read: ClientsRead) => log('info', 'clients file reloaded', read),
    /** @param mistakes one line each, without secrets */
    clientsRefused: (mistakes: readonly string[]) =>
      log('error', 'clients file rejected; the previous clients stay in force', { setting: 'CLIENTS_FILE', mistakes }),
    documentsRead: (read: DocumentsRead) => log('info', 'trusted documents reloaded', read),
    /** @param mistakes one line each */
    documentsRefused: (mistakes: readonly string[]) =>
      log('error', 'trusted documents rejected; the previous ones stay in force', {
        setting: 'TRUSTED_DOCUMENTS_FILE',
        mistakes,
      }),
    /** @param broken id and reason of each */
    documentsBroken: (broken: readonly string[]) =>
      log('warn', 'trusted documents do not fit the schema or its limits: requests for them are rejected', {
        count: broken.length,
        documents: broken.slice(0, maxShownDocuments).map((text) => text.slice(0, maxShownReason)),
      }),
    secretRead: (setting: string) => log('info', 'secret file reloaded', { setting }),
    secretRefused: (setting: string, expected: string, got: string) =>
      log('error', 'secret file rejected; the previous secret stays in force', { setting, expected, got }),
    /** @param reason one line, without the address */
    signingKeysLost: (reason: string) =>
      log('warn', 'JWT signing keys cannot be fetched; the known keys stay in force', {
        setting: 'JWT_JWKS_URL',
        reason,
      }),
    signingKeysBack: () => log('info', 'JWT signing keys can be fetched again'),
    /**
     * The issuer publishes other keys than before.
     * @param keys their number
     */
    signingKeysReplaced: (keys: number) => log('info', 'JWT signing keys fetched', { keys }),

    /** Logged once for each caller and document; every one is counted. */
    documentUntrusted: ({ caller, hash, operation }: UntrustedDocument) => {
      metrics.add('ledger_gateway_untrusted_documents_total');
      if (!isNewDocument(`${caller} ${hash}`)) return;
      const name = operation?.slice(0, maxLoggedName) ?? null;
      log('info', 'served a document that is not in TRUSTED_DOCUMENTS_FILE', { caller, hash, operation: name });
    },

    /** The ledger's responses name its version for the first time. */
    versionSeen: (version: string) => log('info', 'ledger reached', { version }),
    versionChanged: (version: string, previous: string) => log('info', 'ledger version changed', { version, previous }),
    schemaReplaced: (schema: SchemaFacts) => {
      metrics.add('ledger_gateway_schema_changes_total');
      log(schema.breaking ? 'warn' : 'info', 'a new schema is in force', schema);
    },
    schemaRefused: (err: SchemaFault) =>
      log('error', "the ledger's new schema is rejected; the previous one stays in force", { err, faults: err.faults }),
    schemaPartlyServed: (err: SchemaFault) =>
      log('error', "parts of the ledger's schema are not valid; the others are served", { err, faults: err.faults }),
    /** Repeated failures for the same reason are logged at debug level. */
    schemaUnavailable(failure: SchemaReadFailure): void {
      const isNew = isNewOutage('schema', failure.reason);
      log(isNew ? 'warn' : 'debug', "the ledger's schema cannot be read; retrying", failure);
    },
    schemaCacheFailed: (err: unknown) => log('warn', 'the schema cache file cannot be used', { err }),

    /** @param reason one line, without credentials */
    sharedCountsLost: (reason: string) =>
      log('warn', 'shared rate limit store unavailable: each process counts callers by itself', ofRedis(reason)),
    sharedCountsBack: () => log('info', 'shared rate limit store available again'),
    liveFleetAway: (reason: string) =>
      log('warn', 'shared live readers unavailable: each process reads by itself', ofRedis(reason)),
    liveFleetBack: () => log('info', 'shared live readers available again'),
    livePageTaken: (fault: string) =>
      log('warn', 'the events upstream keeps sending a faulty page; live streams accept it', { fault }),
    liveStalled: (stall: LiveStall) => log('warn', 'live streams make no progress', stall),

    sponsorObserved: (observation: SponsorFacts) => log('warn', 'sponsor response not shown to clients', observation),
    /** An event of a sponsored transaction, for the audit log. */
    sponsorship: (event: SponsorshipFacts) => {
      metrics.sponsorship(event);
      const line = toSponsorshipLine(event);
      if (durableEvents.has(event.event)) tryTo(() => logDurably(logger, line, 'sponsorship'));
      else log('info', 'sponsorship', line);
    },
    /** @param setting of the store: Redis, or the journal */
    sponsorshipStoreAway: (reason: string, setting: 'REDIS_URL' | 'SPONSORSHIP_JOURNAL' = 'REDIS_URL') =>
      log('warn', 'sponsorship store unavailable: requests that need it are rejected', { setting, reason }),
    sponsorshipStoreBack: () => log('info', 'sponsorship store available again'),
    sponsorshipMayBeEvicted: (policy: string) =>
      log('warn', 'Redis may drop gas budgets and spent leases: its maxmemory-policy is not noeviction', { policy }),
    sponsorshipForgotten: ({ caller, leaseId, digest, outcome }: UnstoredOutcome) =>
      log('error', 'the outcome of a sponsored transaction was not stored: its gas counts as held', {
        caller: toShownCaller(caller),
        lease: leaseId.slice(0, shownLeaseCharacters),
        ...(digest !== null && { digest }),
        outcome,
      }),
    transactionDoubted: (transaction: UncheckedTransaction) =>
      log('warn', 'sent a transaction to the sponsor that SPONSOR_PREFLIGHT=enforce would reject', transaction),
    sponsorTokenRefused: (setting: string) =>
      log('warn', "the sponsor rejects the gateway's token: nothing can be sponsored", { setting }),
    sponsorTokenAccepted: (setting: string) =>
      log('info', "the sponsor accepts the gateway's token again", { setting }),
    leaseKeyMade: (setting: string) =>
      log('warn', 'reservations are signed with a generated key and become invalid on restart', {
        setting,
      }),
    variablesUnknown: (variables: readonly string[]) =>
      log('warn', 'variables of the environment look like settings, and have no effect', { variables }),
    cursorKeyMade: () =>
      log('warn', 'cursors are signed with a generated key and become invalid on restart', { setting: 'CURSOR_KEYS' }),

    tracingIdle: () =>
      log(
        'warn',
        'OTEL_* variables are set but spans are not exported: set OTEL_EXPORTER_OTLP_ENDPOINT, or load an OpenTelemetry SDK with --import that accepts version 1.9 of @opentelemetry/api',
      ),

    /**
     * The end of each call. A failure is logged once a minute for each upstream, and the first answer after it.
     * @param outcome HTTP status, or why there was no response
     * @param reason why the upstream is not up, without the address; `null` = it is up
     */
    upstreamCalled: (upstream: string, outcome: number | string, durationMs: number, reason: string | null) => {
      metrics.upstreamCall(upstream, outcome, durationMs);
      if (typeof outcome === 'number' && outcome < 500) {
        if (ongoing.delete(upstream)) log('info', 'an upstream answers again', { upstream });
      } else if (reason !== null && isNewOutage(upstream)) {
        log('warn', 'calls to an upstream fail', { upstream, reason });
      }
    },
    /** @param facts.setting where the operator sets the credentials */
    credentialsRejected: (facts: { readonly upstream: string; readonly status: number; readonly setting: string }) =>
      log('error', 'an upstream rejects the credentials of the gateway; set them in its headers or its URL', facts),
    /** The subscriptions that trigger reads broke, could not be opened, or are open. Logged like failed calls. */
    subscriptionsChanged: (isOpen: boolean) => {
      if (!isOpen && isNewOutage('subscriptions'))
        log('warn', "the upstream's subscriptions are lost; live streams poll until they are back");
      if (isOpen && ongoing.delete('subscriptions')) log('info', "the upstream's subscriptions are back");
    },
    /** @param address its position in the setting, from 1 */
    addressEjected: (upstream: string, address: string) =>
      log('warn', 'an address of an upstream fails and is avoided', { upstream, address }),
    addressOfOtherNetwork: (facts: OtherNetwork) =>
      log('error', 'an address of an upstream serves another network and is not used', facts),

    networkRecognised: (network: string) => log('info', 'network recognised by its schema', { network }),
    networkUnknown: (network: string) =>
      log('warn', 'network not recognised: the ledger is unavailable, and no schema is cached', { network }),
    networkResembles: (advice: { readonly scalar: string; readonly NETWORK_PROFILE: string }) =>
      log('warn', 'the network is not known but resembles another; set NETWORK_PROFILE and PROFILE_OVERRIDES', advice),
    profileUnfit: (profile: string, fitting: string) =>
      log('warn', "the network profile does not fit the ledger's schema; set NETWORK_PROFILE and restart", {
        profile,
        fitting,
      }),

    networkSimulated: (network: string) =>
      log(
        'warn',
        'SIMULATED NETWORK: no LEDGER_GRAPHQL_URL is set, so the ledger, the sponsor and the events are an in-memory devnet',
        { network },
      ),
    ready: (service: ServiceFacts) => log('info', 'ready', service),
    listening: (service: ServiceFacts & Pick<SchemaReadFailure, 'setting' | 'host'>) =>
      log('warn', 'listening without the ledger, which is unavailable; retrying', service),

    // Exit code 0: an operator stopped the worker.
    workerLost: (loss: WorkerLoss) => {
      metrics.add('ledger_gateway_worker_exits_total');
      log(loss.exitCode === 0 ? 'info' : 'error', 'a worker exited; starting a replacement', loss);
    },
    /** @param worker its process id */
    workerGrown: (worker: number, rssBytes: number, maxRssBytes: number) => {
      metrics.add('ledger_gateway_worker_memory_replacements_total');
      log('warn', 'a worker uses too much memory; starting a replacement before it stops', {
        worker,
        rssBytes,
        maxRssBytes,
      });
    },
    /** @param worker its process id */
    workerReplaced: (worker: number) => log('info', 'a new worker serves', { worker }),
    /** @param workers process ids */
    workersCut: (workers: readonly number[]) => log('error', 'workers killed: they did not exit in time', { workers }),
  };
}
