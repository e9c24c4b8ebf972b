import { type CredentialEvents, createCredentialEvents, type WriteLine } from './credential-events.ts';
import type { Logger } from './logger.ts';
import type { OperationFacts, RequestFacts } from './request-record.ts';
import { type SponsorshipFacts, SponsorshipLine, shownLeaseCharacters, toShownCaller } from './sponsorship-line.ts';

/** What is known of an operation over a WebSocket, once it has ended. */
export interface SocketOperationFacts {
  /** Of the WebSocket, or of the request that began it. */
  readonly requestId: string;
  readonly durationMs: number;
  /** None where it was refused. */
  readonly operations: readonly OperationFacts[];
  /** The first few different codes of its errors; left out where there are none. */
  readonly codes?: readonly string[];
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

/** A look at the ledger's schema that failed. */
export interface FailedLook {
  /** The setting that says where the ledger is, and the host that it names. */
  readonly setting: string;
  readonly host: string;
  /** One line. */
  readonly reason: string;
  /** The error, if it is a fault of the gateway. */
  readonly err?: unknown;
}

/** What was not written of a sponsored transaction, and will not be. */
export interface ForgottenSponsorship extends Pick<SponsorshipFacts, 'caller'> {
  readonly leaseId: string;
  /** `null`: it never came to a transaction. */
  readonly digest: string | null;
  /** How it ended. */
  readonly outcome: string;
}

/** Something the sponsor did that the operator should see, and that clients are not shown. */
export interface SponsorFacts {
  readonly endpoint: string;
  /** `null` if no answer came. */
  readonly status: number | null;
  readonly what: string;
  readonly digest?: string;
  /** The sponsor's own number. */
  readonly reservationId?: string;
  /** Secrets redacted. */
  readonly text: string;
}

/** A transaction that was sent although it does not fit its reservation, or cannot be read. */
export interface DoubtfulTransaction {
  readonly caller: string;
  readonly requestId: string;
  readonly digest: string;
  readonly reason: string;
}

export interface LiveStall {
  readonly who: 'reader' | 'stream';
  readonly count: number;
  readonly waitsFor: string;
  /** Milliseconds. */
  readonly forMs: number;
}

/**
 * Everything the gateway reports to its operators, one function for each event. Whatever is reported of an event is written
 * in its function and nowhere else. No function throws, and each can be passed on without its object.
 */
export interface Telemetry extends CredentialEvents {
  readonly requestAnswered: (request: RequestFacts) => void;
  /** A request for a WebSocket was granted or refused; told as the request it was. */
  readonly upgradeAnswered: (request: RequestFacts) => void;
  readonly socketOperationEnded: (operation: SocketOperationFacts) => void;
  /** The client got a fixed text in place of this error. */
  readonly errorMasked: (error: unknown, requestId: string | undefined) => void;

  /** The ledger's answers name its version for the first time. */
  readonly versionSeen: (version: string) => void;
  /** The ledger's answers name another version than before. */
  readonly versionChanged: (version: string, previous: string) => void;
  readonly schemaReplaced: (schema: { readonly origin: string; readonly fingerprint: string }) => void;
  readonly schemaRefused: (error: Error & { readonly collisions: readonly string[] }) => void;
  /** For each look that fails. Repeated failures for the same reason are logged at debug level only. */
  readonly schemaUnavailable: (look: FailedLook) => void;
  readonly schemaCacheFailed: (error: unknown) => void;

  /**
   * The store of shared rate limit counts cannot be reached.
   * @param reason one line, without credentials
   * @param setting the setting that holds its address
   */
  readonly sharedCountsLost: (reason: string, setting: string) => void;
  readonly sharedCountsBack: () => void;
  /** @param setting that says where they meet */
  readonly liveFleetAway: (reason: string, setting: string) => void;
  readonly liveFleetBack: () => void;
  /** @param fault of a page of the events upstream, in words */
  readonly livePageTaken: (fault: string) => void;
  /** Readers of live streams, or streams that catch up, make no progress. */
  readonly liveStalled: (stall: LiveStall) => void;
  readonly sponsorObserved: (observation: SponsorFacts) => void;
  /** The audit of the sponsor's gas: each event is a line, and what has no value in it is left out. */
  readonly sponsorship: (event: SponsorshipFacts) => void;
  /** @param setting that says where the store is */
  readonly sponsorshipStoreAway: (reason: string, setting: string) => void;
  readonly sponsorshipStoreBack: () => void;
  readonly sponsorshipForgotten: (forgotten: ForgottenSponsorship) => void;
  readonly transactionDoubted: (transaction: DoubtfulTransaction) => void;
  /** @param setting that holds the token */
  readonly sponsorTokenRefused: (setting: string) => void;
  readonly sponsorTokenAccepted: (setting: string) => void;
  /** @param setting that would hold keys which outlive this process */
  readonly leaseKeyMade: (setting: string) => void;
  /** @param setting that would hold keys which outlive this process */
  readonly cursorKeyMade: (setting: string) => void;

  readonly networkSimulated: (network: string) => void;
  /** @param keys settings that were given and do nothing in this version */
  readonly settingsIgnored: (keys: readonly string[]) => void;
  readonly ready: (service: ServiceFacts) => void;
  /** The gateway listens, but the ledger cannot be reached. */
  readonly listening: (service: ServiceFacts & Pick<FailedLook, 'setting' | 'host'>) => void;

  /** One of several processes that serve ended by itself, and another takes its place. */
  readonly workerLost: (loss: WorkerLoss) => void;
  /** @param worker its process id */
  readonly workerReplaced: (worker: number) => void;
  /** Workers were killed, because they did not end in time. @param workers process ids */
  readonly workersCut: (workers: readonly number[]) => void;
}

export interface WorkerLoss {
  /** Its process id. */
  readonly worker: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it could not start, if it said so. */
  readonly reason?: string;
  /** Milliseconds until another is started. */
  readonly againInMs: number;
}

/** Milliseconds for which a repeated failure is no news. */
const staleMs = 60_000;

/**
 * @param logger one that redacts what it is given, as `createLogger` makes it
 * @param now milliseconds of any clock that only goes forward
 */
export function createTelemetry(logger: Logger, now: () => number = () => performance.now()): Telemetry {
  let lastReason: string | null = null;
  let toldMs = 0;
  const isNews = (reason: string): boolean => {
    const isOld = reason === lastReason && now() - toldMs < staleMs;
    if (!isOld) {
      lastReason = reason;
      toldMs = now();
    }
    return !isOld;
  };
  const log: WriteLine = (level, message, fields = {}) => {
    try {
      logger[level](fields, message);
    } catch {
      // A line that cannot be written must not cost the request it is about; there is nowhere left to say so.
    }
  };
  return {
    ...createCredentialEvents(log),
    requestAnswered: (request) => log('info', 'request', request),
    upgradeAnswered: (request) => log('info', 'request', request),
    socketOperationEnded: (operation) => log('info', 'operation over a WebSocket', operation),
    errorMasked: (err, requestId) =>
      log('error', 'an unexpected error was masked', { err, ...(requestId !== undefined && { requestId }) }),

    versionSeen: (version) => log('info', 'the ledger is there', { version }),
    versionChanged: (version, previous) => log('info', 'the ledger reports another version', { version, previous }),
    schemaReplaced: ({ origin, fingerprint }) => log('info', 'a new schema is in force', { origin, fingerprint }),
    schemaRefused: (err) =>
      log('error', "the ledger's new schema is refused; the old one stays in force", {
        err,
        collisions: err.collisions,
      }),
    schemaUnavailable: (look) =>
      log(
        isNews(look.reason) ? 'warn' : 'debug',
        "the ledger's schema cannot be read; the ledger is asked again",
        look,
      ),
    schemaCacheFailed: (err) => log('warn', 'the schema cache failed', { err }),

    sharedCountsLost: (reason, setting) =>
      log('warn', 'the shared counts are away: each instance counts callers for itself', { setting, reason }),
    sharedCountsBack: () => log('info', 'the shared counts are back'),
    liveFleetAway: (reason, setting) =>
      log('warn', 'the shared readers of live streams are away: each process reads for itself', { setting, reason }),
    liveFleetBack: () => log('info', 'the shared readers of live streams are back'),
    livePageTaken: (fault) =>
      log('warn', 'the events upstream kept sending a page with a fault, so live streams take it as it is', { fault }),
    liveStalled: (stall) => log('warn', 'live streams make no progress', stall),
    sponsorObserved: (observation) =>
      log('warn', 'the sponsor answered something that clients are not shown', observation),
    sponsorship: (event) => log('info', 'sponsorship', new SponsorshipLine(event)),
    sponsorshipStoreAway: (reason, setting) =>
      log('warn', 'what is remembered of sponsorship is away: nobody is sponsored who needs it', { setting, reason }),
    sponsorshipStoreBack: () => log('info', 'what is remembered of sponsorship is back'),
    sponsorshipForgotten: ({ caller, leaseId, digest, outcome }) =>
      log('error', 'how a sponsored transaction ended was not remembered: its gas counts as held', {
        caller: toShownCaller(caller),
        lease: leaseId.slice(0, shownLeaseCharacters),
        ...(digest !== null && { digest }),
        outcome,
      }),
    transactionDoubted: (transaction) =>
      log('warn', 'a transaction goes to the sponsor that SPONSOR_PREFLIGHT=enforce would refuse', transaction),
    sponsorTokenRefused: (setting) =>
      log('warn', 'the sponsor does not take the token of this gateway: nobody is sponsored', { setting }),
    sponsorTokenAccepted: (setting) => log('info', 'the sponsor takes the token of this gateway again', { setting }),
    leaseKeyMade: (setting) =>
      log(
        'warn',
        'reservations are signed with a key made at start: those of today cannot be executed after a restart',
        { setting },
      ),
    cursorKeyMade: (setting) =>
      log('warn', 'cursors are signed with a key made at start: after a restart they are rejected', { setting }),

    networkSimulated: (network) =>
      log(
        'warn',
        'SIMULATED NETWORK: no LEDGER_GRAPHQL_URL is set, so the ledger, the sponsor and the events are an in-memory devnet',
        { network },
      ),
    settingsIgnored: (keys) => log('warn', 'these settings are checked but have no effect in this version', { keys }),
    ready: (service) => log('info', 'ready', service),
    listening: (service) =>
      log('warn', 'listening without the ledger: it cannot be reached, and is asked again until it can', service),

    // Exit code 0: an operator told the worker to end.
    workerLost: (loss) => log(loss.exitCode === 0 ? 'info' : 'error', 'a worker ended; another takes its place', loss),
    workerReplaced: (worker) => log('info', 'a new worker serves', { worker }),
    workersCut: (workers) => log('error', 'workers were cut off: they did not end in time', { workers }),
  };
}
