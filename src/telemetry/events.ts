import { type Logger, type RequestLineFields, requestLine, toJsonText } from './logger.ts';
import { Metrics } from './metrics.ts';
import { redactText } from './redact-fields.ts';
import { type SponsorshipFacts, shownLeaseCharacters, toShownCaller, toSponsorshipLine } from './sponsorship-line.ts';

/** An operation over a WebSocket that has ended. */
export interface SocketOperationFacts {
  /** Of the WebSocket, or of the request that began it. */
  readonly requestId: string;
  readonly durationMs: number;
  /** None if it was refused. */
  readonly operations: readonly OperationFacts[];
  /** The first few different codes of its errors; left out if there are none. */
  readonly codes?: readonly string[];
}

/** How the clients changed, by their ids, and how many there are now. */
export interface ClientsRead {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly clients: number;
}

/** Where the gateway serves, and what. */
export interface ServiceFacts {
  readonly url: string;
  readonly devnet: boolean;
  /** Where the ledger's part of the schema came from. */
  readonly schema: string;
  readonly profile: string;
  /** Number of worker processes; left out if the gateway is a single process. */
  readonly workers?: number;
}

/** A schema that came into force. */
export interface SchemaFacts {
  readonly origin: string;
  readonly fingerprint: string;
  /** Breaking changes since the previous schema; left out for the first one. */
  readonly breaking?: number;
}

/** A failed read of the ledger's schema. */
export interface SchemaReadFailure {
  /** The setting that has the ledger's address, and the host in it. */
  readonly setting: string;
  readonly host: string;
  readonly reason: string;
  /** The error, if it is a fault of the gateway. */
  readonly err?: unknown;
}

/** The outcome of a sponsored transaction that could not be stored, and will not be. */
export interface ForgottenSponsorship extends Pick<SponsorshipFacts, 'caller'> {
  readonly leaseId: string;
  /** `null`: no transaction was made. */
  readonly digest: string | null;
  readonly outcome: string;
}

/** An answer of the sponsor that operators should see, and clients are not shown. */
export interface SponsorFacts {
  readonly endpoint: string;
  /** `null` if no answer came. */
  readonly status: number | null;
  readonly what: string;
  readonly digest?: string;
  readonly reservationId?: string;
  readonly text: string;
}

/** A transaction that was sent although it does not fit its reservation, or cannot be read. */
export interface DoubtfulTransaction {
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
  /** Milliseconds. */
  readonly forMs: number;
}

export interface WorkerLoss {
  readonly worker: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it could not start, if it said so. */
  readonly reason?: string;
  /** Milliseconds until another is started. */
  readonly againInMs: number;
}

/**
 * Everything the gateway reports to its operators, one function for each event. Whatever is reported of an event is written in
 * its function and nowhere else. No function throws, and each can be passed on without its object.
 */
export type Telemetry = ReturnType<typeof createTelemetry>;

/** Milliseconds after which a repeated failure is logged as a warning again. */
const repeatMs = 60_000;

/**
 * @param logger one that redacts what it is given, as `createLogger` makes it
 * @param metrics counts the events
 * @param now milliseconds of any clock that only goes forward
 */
export function createTelemetry(logger: Logger, metrics = new Metrics(), now: () => number = () => performance.now()) {
  let lastReason: string | null = null;
  let loggedMs = 0;
  const isNews = (reason: string): boolean => {
    const isRepeated = reason === lastReason && now() - loggedMs < repeatMs;
    if (isRepeated) return false;
    lastReason = reason;
    loggedMs = now();
    return true;
  };
  const log = (level: 'debug' | 'info' | 'warn' | 'error', message: string, fields: object = {}): void => {
    if (level === 'warn' || level === 'error')
      metrics.add('ledger_gateway_log_messages_total', 1, level === 'warn' ? 0 : 1);
    try {
      logger[level](fields, message);
    } catch {
      // A line that cannot be written must not cost the request it is about; there is nowhere left to say so.
    }
  };
  return {
    requestAnswered: (request: RequestFacts) => {
      metrics.request(request);
      log('info', 'request', request);
    },
    /** A request for a WebSocket was granted or refused; logged as a request. */
    upgradeAnswered: (request: RequestFacts) => {
      metrics.upgrade(request);
      log('info', 'request', request);
    },
    socketOperationEnded: (operation: SocketOperationFacts) => {
      metrics.socketOperation(operation);
      log('info', 'operation over a WebSocket', operation);
    },
    /** The client got a fixed text in place of this error. */
    errorMasked: (err: unknown, requestId: string | undefined) =>
      log('error', 'an unexpected error was masked', { err, ...(requestId !== undefined && { requestId }) }),

    clientsRead: (read: ClientsRead) => log('info', 'clients file reloaded', read),
    /** @param mistakes a line each, without secrets */
    clientsRefused: (mistakes: readonly string[]) =>
      log('error', 'clients file rejected; the previous clients stay in force', { setting: 'CLIENTS_FILE', mistakes }),
    /** @param setting that names the file */
    secretRead: (setting: string) => log('info', 'secret file reloaded', { setting }),
    secretRefused: (setting: string, expected: string, got: string) =>
      log('error', 'secret file rejected; the previous secret stays in force', { setting, expected, got }),
    /**
     * @param reason one line, without the address
     * @param setting that has the address
     */
    signingKeysLost: (reason: string, setting: string) =>
      log('warn', 'JWT signing keys cannot be fetched; the known keys stay in force', { setting, reason }),
    signingKeysBack: () => log('info', 'JWT signing keys can be fetched again'),
    /** The issuer publishes other keys than before. @param keys how many */
    signingKeysReplaced: (keys: number) => log('info', 'JWT signing keys fetched', { keys }),

    /** The ledger's answers name its version for the first time. */
    versionSeen: (version: string) => log('info', 'ledger reached', { version }),
    versionChanged: (version: string, previous: string) => log('info', 'ledger version changed', { version, previous }),
    schemaReplaced: (schema: SchemaFacts) => {
      metrics.add('ledger_gateway_schema_changes_total');
      log(schema.breaking ? 'warn' : 'info', 'a new schema is in force', schema);
    },
    schemaRefused: (err: Error & { readonly collisions: readonly string[] }) =>
      log('error', "the ledger's new schema is rejected; the previous one stays in force", {
        err,
        collisions: err.collisions,
      }),
    /** Repeated failures for the same reason are logged at debug level only. */
    schemaUnavailable: (failure: SchemaReadFailure) =>
      log(isNews(failure.reason) ? 'warn' : 'debug', "the ledger's schema cannot be read; retrying", failure),
    schemaCacheFailed: (err: unknown) => log('warn', 'the schema cache failed', { err }),

    /**
     * @param reason one line, without credentials
     * @param setting that has the address of the store
     */
    sharedCountsLost: (reason: string, setting: string) =>
      log('warn', 'shared rate limit store unavailable: each process counts callers by itself', { setting, reason }),
    sharedCountsBack: () => log('info', 'shared rate limit store available again'),
    liveFleetAway: (reason: string, setting: string) =>
      log('warn', 'shared live readers unavailable: each process reads by itself', { setting, reason }),
    liveFleetBack: () => log('info', 'shared live readers available again'),
    livePageTaken: (fault: string) =>
      log('warn', 'the events upstream keeps sending a faulty page; live streams accept it', { fault }),
    liveStalled: (stall: LiveStall) => log('warn', 'live streams make no progress', stall),

    sponsorObserved: (observation: SponsorFacts) => log('warn', 'sponsor answer not shown to clients', observation),
    /** The audit of the sponsor's gas. */
    sponsorship: (event: SponsorshipFacts) => {
      metrics.sponsorship(event);
      log('info', 'sponsorship', toSponsorshipLine(event));
    },
    sponsorshipStoreAway: (reason: string, setting: string) =>
      log('warn', 'sponsorship store unavailable: requests that need it are refused', { setting, reason }),
    sponsorshipStoreBack: () => log('info', 'sponsorship store available again'),
    sponsorshipForgotten: ({ caller, leaseId, digest, outcome }: ForgottenSponsorship) =>
      log('error', 'the outcome of a sponsored transaction was not stored: its gas counts as held', {
        caller: toShownCaller(caller),
        lease: leaseId.slice(0, shownLeaseCharacters),
        ...(digest !== null && { digest }),
        outcome,
      }),
    transactionDoubted: (transaction: DoubtfulTransaction) =>
      log('warn', 'sent a transaction to the sponsor that SPONSOR_PREFLIGHT=enforce would refuse', transaction),
    sponsorTokenRefused: (setting: string) =>
      log('warn', "the sponsor rejects the gateway's token: nothing can be sponsored", { setting }),
    sponsorTokenAccepted: (setting: string) =>
      log('info', "the sponsor accepts the gateway's token again", { setting }),
    /** @param setting that would hold keys which outlive this process */
    leaseKeyMade: (setting: string) =>
      log('warn', 'reservations are signed with a key made at start: after a restart they cannot be executed', {
        setting,
      }),
    /** @param setting that would hold keys which outlive this process */
    cursorKeyMade: (setting: string) =>
      log('warn', 'cursors are signed with a key made at start: after a restart they are rejected', { setting }),

    networkRecognised: (network: string) => log('info', 'the network is recognised by its schema', { network }),
    networkUnknown: (network: string) =>
      log('warn', 'the network is not recognised: the ledger cannot be reached, and no schema is cached', { network }),
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
      log('warn', 'listening without the ledger: it cannot be reached; retrying', service),

    // Exit code 0: an operator stopped the worker.
    workerLost: (loss: WorkerLoss) => {
      metrics.add('ledger_gateway_worker_exits_total');
      log(loss.exitCode === 0 ? 'info' : 'error', 'a worker exited; another takes its place', loss);
    },
    /** @param worker its process id */
    workerReplaced: (worker: number) => log('info', 'a new worker serves', { worker }),
    /** @param workers process ids */
    workersCut: (workers: readonly number[]) => log('error', 'workers killed: they did not exit in time', { workers }),
  };
}

/** Characters of an operation's name in the log; names may be as long as documents. */
export const maxLoggedName = 80;

export interface OperationFacts {
  readonly caller: string;
  /** At most `maxLoggedName` characters of it. */
  readonly name: string | null;
  readonly type: string;
  readonly plan: string;
  readonly errors: number;
  /** Calls to upstreams that were begun for it. */
  readonly calls: number;
  /** `null` if the document asks for the schema alone. */
  readonly usage: OperationUsage | null;
  /** `memory` if the answer came from the cache, without an upstream call. */
  readonly from?: 'memory';
}

export interface OperationUsage {
  readonly inputNodes: number;
  readonly outputNodes: number;
  readonly depth: number;
  readonly variables: number;
  readonly fragments: number;
  readonly queryPayload: number;
}

/** A request that was answered, or whose client has left. */
export interface RequestFacts {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly operations: readonly OperationFacts[];
  /** The first few different codes of its errors, whether anything ran or not. */
  readonly codes?: readonly string[];
  /** Served by the lane, without Yoga. */
  readonly lane?: boolean;
}

/**
 * The facts of a request as the fields of its log line. They write themselves, and only the path is searched for credentials:
 * it is the only free text of the caller, since operation names are GraphQL names.
 */
export type RequestRecord = Required<RequestFacts> & RequestLineFields;

/** @param codes `null` = there are none */
export function toRequestRecord(
  requestId: string,
  method: string,
  path: string,
  status: number,
  durationMs: number,
  operations: readonly OperationFacts[],
  codes: readonly string[] | null = null,
  lane = false,
): RequestRecord {
  const noted = codes ?? noCodes;
  return { requestId, method, path, status, durationMs, operations, codes: noted, lane, [requestLine]: toLine };
}

function toLine(this: RequestRecord): string {
  const { requestId, method, path, status, durationMs, codes } = this;
  const { length } = this.operations;
  const shown = length > maxShownOperations ? this.operations.slice(0, maxShownOperations) : this.operations;
  let operations = '';
  for (const each of shown) operations += operations === '' ? operationText(each) : `,${operationText(each)}`;
  const more = length > shown.length ? `,"more":${length - shown.length}` : '';
  const lane = this.lane ? ',"lane":true' : '';
  return `"requestId":"${requestId}"${headText(method, path, status)}${durationMs},"operations":[${operations}]${more}${codesText(codes)}${lane}`;
}

/** More operations of a batch are only counted. */
const maxShownOperations = 8;

const noCodes: readonly string[] = [];

function codesText(codes: readonly string[]): string {
  return codes.length === 0 ? '' : `,"codes":${JSON.stringify(codes)}`;
}

/**
 * Most requests share these parts with the request before. Joining a few long texts costs half as much as joining many short
 * ones.
 */
const lastHead = { method: '', path: '', status: 0, text: '' };
const lastOperation: { facts: OperationFacts | null; text: string } = { facts: null, text: '' };

function headText(method: string, path: string, status: number): string {
  const last = lastHead;
  if (last.method !== method || last.path !== path || last.status !== status) {
    last.method = method;
    last.path = path;
    last.status = status;
    last.text = `,"method":"${method}","path":${toJsonText(shownPath(path))},"status":${status},"durationMs":`;
  }
  return last.text;
}

/** In characters; longer paths, all of which are rejected, are cut. */
const maxShownPath = 200;

/** In ASCII, as the whole line is. */
function shownPath(path: string): string {
  const shown = path.length > maxShownPath ? `${path.slice(0, maxShownPath)}...` : path;
  return redactText(shown).replaceAll(/[^ -~]/g, '?');
}

function operationText(facts: OperationFacts): string {
  const last = lastOperation;
  if (last.facts === null || !areAlike(last.facts, facts)) {
    const { caller, name, type, plan, from } = facts;
    const shown = name === null ? 'null' : toJsonText(name);
    const source = from ? `,"from":"${from}"` : '';
    last.text = `{"caller":${toJsonText(caller)},"name":${shown},"type":"${type}","plan":"${plan}"${source}`;
    last.facts = facts;
  }
  return `${last.text},"errors":${facts.errors},"calls":${facts.calls},"usage":${usageText(facts.usage)}}`;
}

/** Does the text of both begin in the same way? */
function areAlike(one: OperationFacts, other: OperationFacts): boolean {
  return (
    one.caller === other.caller &&
    one.name === other.name &&
    one.type === other.type &&
    one.plan === other.plan &&
    one.from === other.from
  );
}

/** Faster than `JSON.stringify`, which would take longer than the rest of the line. */
function usageText(usage: OperationUsage | null): string {
  if (usage === null) return 'null';
  const { inputNodes, outputNodes, depth, variables, fragments, queryPayload } = usage;
  return `{"inputNodes":${inputNodes},"outputNodes":${outputNodes},"depth":${depth},"variables":${variables},"fragments":${fragments},"queryPayload":${queryPayload}}`;
}
