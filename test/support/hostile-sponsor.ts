import { Buffer } from 'node:buffer';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { transactionDigest } from '../../src/transactions/digest.ts';
import { redis6, redis7 } from './sponsor-answers.ts';
import { sponsorEffects } from './sponsor-effects.ts';

/** How the sponsor responds to `reserve_gas`. Coins are locked only where the description says so. */
export type ReserveManner =
  | 'reserves'
  | 'reserves, hangs up'
  | 'reserves, answers late'
  | 'reserves, cuts its answer'
  | 'reserves, fails in words unknown'
  | 'hangs up'
  | 'has no coins'
  | 'is in maintenance'
  | 'shows a page';

/** How the sponsor responds to `execute`: what it does, and what it reports. */
export interface ExecuteManner {
  /** `later`: after the connection has closed, as a background task would. */
  readonly runs: 'at once' | 'later' | 'never';
  readonly succeeds: boolean;
  readonly says:
    | 'effects'
    | 'effects twice'
    | 'effects late'
    | 'effects cut short'
    | 'effects of another'
    | 'effects under a refusal'
    /** Rejects in its own words, with the digest in the message. */
    | 'a refusal that names it'
    | 'nothing'
    /** Keeps the connection open without a response. */
    | 'nothing, and waits'
    | 'a known refusal'
    | 'unknown words'
    | 'a page';
  /** Costs minus rebate, in the ledger's smallest unit. May be negative. */
  readonly gas: Gas;
}

/** What an execution cost, in the ledger’s smallest unit. */
export interface Gas {
  readonly computation: number;
  readonly storage: number;
  readonly rebate: number;
}

export interface HostileReservation {
  /** Decimal text of a number unique among reservations, including reservations from before a reset. */
  readonly id: string;
  readonly budget: number;
  readonly madeAtMs: number;
  readonly expiresAtMs: number;
}

export interface ReceivedExecution {
  readonly digest: string;
  readonly atMs: number;
}

/** The ledger's record of a transaction. */
export interface OnChain {
  readonly reservationId: string;
  readonly succeeded: boolean;
  readonly gas: Gas;
}

export interface HostileSponsor extends AsyncDisposable {
  readonly port: number;
  /** All reservations by requested budget. A test uses each budget once. */
  readonly reserved: ReadonlyMap<number, readonly HostileReservation[]>;
  /** Executions in order of arrival, with the reservation that each named. */
  readonly received: ReadonlyMap<string, readonly ReceivedExecution[]>;
  /** Ledger records by digest. */
  readonly chain: ReadonlyMap<string, OnChain>;
  /** How a `reserve` with this budget is handled. Default: it reserves. */
  onReserve(budget: number, manner: ReserveManner): void;
  /** How the transaction with this digest is handled. Default: it runs and its effects are returned. */
  onExecute(digest: string, manner: ExecuteManner): void;
  /** Forgets its reservations and reuses their numbers. */
  startOver(): void;
  /** Resolves when no delayed work is left. */
  idle(): Promise<void>;
}

/** Services in whose words it answers. The forms and their sources are in sponsor-answers.ts. */
export const sponsorServices = ['older station', 'station on Redis 6', 'station on Redis 7', 'sui-gas-pool'] as const;
export type SponsorService = (typeof sponsorServices)[number];

interface ServiceWords {
  readonly gone: (number: string) => string;
  /** Rejects a transaction that does not run. */
  readonly refusal: (digest: string) => { readonly status: number; readonly error: string };
  /** Of a transaction that may have run. */
  readonly doubt: (digest: string) => string;
}

const gone = (number: string) => `Reservation no longer exist: ${number}`;
const nodeWords: Omit<ServiceWords, 'gone'> = {
  refusal: (digest) => ({
    status: 500,
    error: `execute_transaction error for ${digest}: server error (code 3): Invalid user signature: Signature is not valid: Fail to verify user sig`,
  }),
  doubt: (digest) =>
    `execute_transaction error for ${digest}: server error (code 14): timed-out before finality could be reached`,
};
const poolError = (code: number, message: string) =>
  `RPC call failed: ErrorObject { code: ServerError(${code}), message: "${message}", data: None }`;
const serviceWords: Readonly<Record<SponsorService, ServiceWords>> = {
  'older station': {
    gone,
    refusal: () => ({ status: 403, error: 'Access denied by access controller' }),
    doubt: () => 'quorum driver at 10.0.0.9: who knows',
  },
  'station on Redis 6': { ...nodeWords, gone: (number) => redis6(gone(number)) },
  'station on Redis 7': { ...nodeWords, gone: (number) => redis7(gone(number)) },
  'sui-gas-pool': {
    gone: (number) => redis7(gone(number)),
    refusal: () => ({ status: 500, error: poolError(-32002, 'Invalid user signature: Signature is not valid: no') }),
    doubt: () => poolError(-32050, 'Transaction timed out before reaching finality'),
  },
};

export interface HostileSponsorOptions {
  /** Default: an older station. */
  readonly service?: SponsorService;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Delay of late responses and of transactions that run later, in milliseconds. */
  readonly laterMs: () => number;
}

/** A number beyond the precision of a JavaScript number. */
const firstNumber = 9_007_199_254_740_993n;

const plainly: ExecuteManner = {
  runs: 'at once',
  succeeds: true,
  says: 'effects',
  gas: { computation: 1_000, storage: 2_000, rebate: 500 },
};

/**
 * A sponsor on loopback that keeps the rules of the service but responds badly. A reservation serves one execution, whatever
 * the response says. The sponsor records everything that happened.
 */
export async function startHostileSponsor({
  now,
  laterMs,
  service = 'older station',
}: HostileSponsorOptions): Promise<HostileSponsor> {
  const words = serviceWords[service];
  const reserved = new Map<number, HostileReservation[]>();
  const open = new Map<string, HostileReservation>();
  const received = new Map<string, ReceivedExecution[]>();
  const chain = new Map<string, OnChain>();
  const reserveManners = new Map<number, ReserveManner>();
  const executeManners = new Map<string, ExecuteManner>();
  const later = new Set<Promise<void>>();
  let lastNumber = firstNumber;
  let run = 0n;
  const idOf = (number: bigint) => String((run << 64n) | number);

  const afterwards = (act: () => void) => {
    const task = new Promise<void>((resolve) => setTimeout(resolve, laterMs())).then(act);
    later.add(task);
    void task.then(() => later.delete(task));
  };

  function reserve(body: string, res: ServerResponse) {
    const { gas_budget: budget, reserve_duration_secs: seconds } = JSON.parse(body);
    const manner = reserveManners.get(budget) ?? 'reserves';
    if (manner === 'hangs up') {
      res.socket?.destroy();
      return;
    }
    if (manner === 'has no coins')
      return tell(res, 500, { result: null, error: 'Unable to reserve gas coins for the given budget.' });
    if (manner === 'is in maintenance')
      return tell(res, 503, { error: 'Gas station is in maintenance mode. Please try again later.' });
    if (manner === 'shows a page') return page(res);
    lastNumber += 1n;
    const madeAtMs = now();
    const reservation = { id: idOf(lastNumber), budget, madeAtMs, expiresAtMs: madeAtMs + seconds * 1000 };
    open.set(reservation.id, reservation);
    reserved.set(budget, [...(reserved.get(budget) ?? []), reservation]);
    const answer = `{"result":{"sponsor_address":"${sponsorAddress}","reservation_id":${lastNumber},"gas_coins":${JSON.stringify([coinOf(BigInt(reservation.id))])}},"error":null}`;
    if (manner === 'reserves, hangs up') res.socket?.destroy();
    else if (manner === 'reserves, answers late') afterwards(() => tell(res, 200, answer));
    else if (manner === 'reserves, cuts its answer') cutShort(res, answer);
    else if (manner === 'reserves, fails in words unknown') tell(res, 500, { error: 'redis at 10.0.0.7: BUSY' });
    else tell(res, 200, answer);
  }

  function execute(body: string, res: ServerResponse) {
    const number = /"reservation_id":(\d+)/.exec(body)?.[1] ?? '';
    const id = idOf(BigInt(number));
    const { tx_bytes: bytes } = JSON.parse(body) as { tx_bytes: string };
    const digest = transactionDigest(Buffer.from(bytes, 'base64'));
    received.set(id, [...(received.get(id) ?? []), { digest, atMs: now() }]);
    const reservation = open.get(id);
    const { runs, succeeds, says, gas } = executeManners.get(digest) ?? plainly;
    if (!reservation || now() >= reservation.expiresAtMs)
      return tell(res, 500, { effects: null, error: words.gone(number) });
    const refusal = words.refusal(digest);
    // An access controller decides before the reservation is taken.
    if (says !== 'a known refusal' || refusal.status !== 403) open.delete(id);
    if (says === 'a known refusal') return tell(res, refusal.status, { effects: null, error: refusal.error });
    const run = () => void chain.set(digest, { reservationId: id, succeeded: succeeds, gas });
    if (runs === 'at once') run();
    if (runs === 'later') afterwards(run);
    const effects = effectsOf(digest, { reservationId: id, succeeded: succeeds, gas });
    if (says === 'a refusal that names it') tell(res, 400, { effects: null, error: `Transaction ${digest} is known` });
    else if (says === 'unknown words') tell(res, 500, { effects: null, error: words.doubt(digest) });
    else sayOf(res, says, effects, afterwards);
  }

  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of req) chunks.push(chunk as Buffer);
    } catch {
      // A client that disconnects before the end of its request has requested nothing.
      return;
    }
    const body = Buffer.concat(chunks).toString('utf8');
    if (req.url === '/v1/reserve_gas') reserve(body, res);
    else if (req.url === '/v1/execute_tx') execute(body, res);
    else tell(res, 200, '"OK"');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    port: (server.address() as AddressInfo).port,
    reserved,
    received,
    chain,
    onReserve: (budget, manner) => void reserveManners.set(budget, manner),
    onExecute: (digest, manner) => void executeManners.set(digest, manner),
    startOver() {
      open.clear();
      lastNumber = firstNumber;
      run += 1n;
    },
    async idle() {
      while (later.size > 0) await Promise.all(later);
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const sponsorAddress = `0x${'5'.padStart(64, '0')}`;

/** The only coin of a reservation. No two reservations share a coin. */
function coinOf(id: bigint) {
  return {
    objectId: `0x${id.toString(16).padStart(64, '0')}`,
    version: 7,
    digest: transactionDigest(Buffer.from('a coin')),
  };
}

function effectsOf(digest: string, { succeeded, gas }: OnChain): string {
  const effects = sponsorEffects(digest, {
    status: succeeded ? { status: 'success' } : { status: 'failure', error: 'MoveAbort(7)' },
    gasUsed: {
      computationCost: String(gas.computation),
      storageCost: String(gas.storage),
      storageRebate: String(gas.rebate),
      nonRefundableStorageFee: '0',
    },
  });
  return JSON.stringify({ effects, error: null });
}

function sayOf(
  res: ServerResponse,
  says: Exclude<ExecuteManner['says'], 'a known refusal' | 'a refusal that names it' | 'unknown words'>,
  effects: string,
  afterwards: (act: () => void) => void,
): void {
  if (says === 'effects') tell(res, 200, effects);
  else if (says === 'effects under a refusal') tell(res, 409, effects);
  else if (says === 'effects twice') {
    const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(effects)}\r\n\r\n${effects}`;
    res.socket?.write(answer + answer);
  } else if (says === 'effects late') afterwards(() => tell(res, 200, effects));
  else if (says === 'effects cut short') cutShort(res, effects);
  else if (says === 'effects of another')
    tell(res, 200, JSON.stringify({ effects: sponsorEffects(transactionDigest(Buffer.from('another'))), error: null }));
  else if (says === 'a page') page(res);
  else if (says === 'nothing') res.socket?.destroy();
}

function tell(res: ServerResponse, status: number, body: string | object): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function page(res: ServerResponse): void {
  res.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>Bad gateway</h1></html>');
}

/** Announces the full length, and breaks off in the middle. */
function cutShort(res: ServerResponse, body: string): void {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  res.write(body.slice(0, body.length / 2), () => res.socket?.destroy());
}
