import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashApiKey, toApiKey } from '../../src/config/client.ts';
import { type HostileLedger, startHostileLedger } from './hostile-ledger.ts';
import { type HostileSponsor, type SponsorService, startHostileSponsor } from './hostile-sponsor.ts';
import { type RedisServer, startRedis } from './redis-server.ts';
import { uncounted, type Wrong } from './sponsorship-history.ts';
import { openTcpGate, type TcpGate } from './tcp-gate.ts';
import { createTestGateway, type TestGateway } from './test-gateway.ts';

/** Callers, with what each may spend per day in the ledger's smallest unit; `null`: no limit. */
export const callers = { rich: 12_000_000, poor: 5_000_000, boundless: null } as const;
export type CallerName = keyof typeof callers;
export const callerNames = Object.keys(callers) as CallerName[];

const keys = Object.fromEntries(
  callerNames.map((name, index) => [name, toApiKey(name, new Uint8Array(32).fill(index + 1)).reveal()]),
) as Record<CallerName, string>;
const clientsFile = callerNames
  .map((name) => {
    const gas = callers[name] === null ? '' : `, gas: { perDay: ${callers[name]} }, visitors: one`;
    return `- { id: ${name}, hash: ${hashApiKey(keys[name])}, scopes: [read, sponsor]${gas} }`;
  })
  .join('\n');

const sponsorToken = 'token-of-the-hostile-sponsor';
const leaseKey = 'a-key-for-the-leases-of-the-model-0123456789';
/** Credentials for the sponsor, where the gateway has no token. */
const credentialOf = (name: CallerName) => `Bearer the-sponsor-knows-${name}-by-this`;
/** Secrets that must never be logged. */
export const secrets: readonly string[] = [
  ...[sponsorToken, leaseKey],
  ...Object.values(keys),
  ...callerNames.map(credentialOf),
];

export interface Answered {
  readonly data: Record<string, unknown> | null;
  readonly errors: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[];
}

/** One gateway or a fleet, in front of an untrustworthy sponsor and ledger. */
export interface SponsorshipWorld extends AsyncDisposable {
  readonly sponsor: HostileSponsor;
  readonly ledger: HostileLedger;
  readonly size: number;
  /** Forward mode: do callers send the sponsor's credential and get its numbers? */
  readonly isForward: boolean;
  /** May this transaction be sent for this caller? */
  allows(caller: CallerName, wrong: Wrong): boolean;
  /** Do stopped instances leave their store behind? */
  readonly remembers: boolean;
  now(): number;
  advance(ms: number): void;
  /** Moves to the next UTC day, with full budgets and an empty log. */
  nextDay(): void;
  /** `null`: the connection ended before the response. */
  ask(
    instance: number,
    caller: CallerName,
    query: string,
    variables: object,
    leave?: AbortSignal,
  ): Promise<Answered | null>;
  /** Kills an instance in the middle of everything, and starts a new one. */
  crash(instance: number): Promise<void>;
  /** The proxy between an instance and the store; `null` for a store in memory. */
  storeGate(instance: number): Pick<TcpGate, 'cut' | 'freeze' | 'heal'> | null;
  /** Empties the shared store as a restart would. Does nothing without one. */
  emptyStore(): Promise<void>;
  /** Was the store unavailable to any instance today? A busy machine can cause this too. */
  wasStoreAway(): boolean;
  /** Everything logged today, by all instances, stopped ones included. */
  log(): Record<string, unknown>[];
}

export interface SponsorshipWorldOptions {
  readonly store: 'redis' | 'memory' | 'journal';
  /** Default `token`. */
  readonly auth?: 'forward' | 'token';
  /** Milliseconds that a caller waits for a mutation. */
  readonly mutationMs: number;
  /** Default `enforce`; `warn` in forward mode. */
  readonly preflight?: 'enforce' | 'warn' | 'off';
  /** In whose words the sponsor answers. */
  readonly service: SponsorService;
}

interface Instance {
  readonly gateway: TestGateway;
  readonly gates: readonly TcpGate[];
  readonly storeGate: TcpGate | null;
  /** Breaks the connections of its clients. */
  readonly cutter: AbortController;
}

const dayMs = 86_400_000;
/** Machine clocks differ: the second one is ahead. */
const apartMs = 400;

export async function startSponsorshipWorld(options: SponsorshipWorldOptions): Promise<SponsorshipWorld> {
  const { store, auth = 'token', mutationMs } = options;
  const isForward = auth === 'forward';
  const { preflight = isForward ? 'warn' : 'enforce' } = options;
  let ahead = 0;
  // The clock also advances by itself, because waiting work must not wait for the test.
  const now = () => Date.now() + ahead;
  const sponsor = await startHostileSponsor({ now, laterMs: () => mutationMs * 1.3, service: options.service });
  const ledger = await startHostileLedger(sponsor.chain);
  const redis: RedisServer | null = store === 'redis' ? await startRedis() : null;
  /** The folder of the journal. */
  let folder = store === 'journal' ? mkdtempSync(join(tmpdir(), 'model-')) : null;
  const ended: Promise<void>[] = [];
  let lines: Record<string, unknown>[][] = [];
  /** Of earlier days: reported once, and not again until it is back. */
  let isAwaySince = new Map<unknown, boolean>();
  const isNewsOf = (msg: unknown, what: 'unavailable' | 'available again') =>
    String(msg).startsWith(`sponsorship store ${what}`);
  const isAwayAfter = (written: readonly Record<string, unknown>[]): boolean => {
    const last = written.findLast(({ msg }) => isNewsOf(msg, 'unavailable') || isNewsOf(msg, 'available again'));
    return last ? isNewsOf(last.msg, 'unavailable') : isAwaySince.get(written) === true;
  };

  async function launch(index: number): Promise<Instance> {
    const sponsorGate = await openTcpGate(sponsor.port);
    const ledgerGate = await openTcpGate(Number(new URL(ledger.url).port));
    const storeGate = redis && (await openTcpGate(Number(new URL(redis.url).port)));
    const gateway = await createTestGateway(
      {
        LEDGER_GRAPHQL_URL: `http://127.0.0.1:${ledgerGate.port}/graphql`,
        SPONSOR_URL: `http://127.0.0.1:${sponsorGate.port}`,
        ...(isForward ? { SPONSOR_AUTH: 'forward' } : { SPONSOR_TOKEN: sponsorToken, LEASE_KEYS: leaseKey }),
        CLIENTS_FILE: '/clients',
        MUTATION_TIMEOUT_MS: String(mutationMs),
        SCHEMA_POLL_MS: '0',
        SPONSOR_PREFLIGHT: preflight,
        ...(storeGate && { REDIS_URL: `redis://127.0.0.1:${storeGate.port}` }),
      },
      { '/clients': clientsFile },
      undefined,
      () => now() + index * apartMs,
      folder,
    );
    lines.push(gateway.log);
    const gates = [sponsorGate, ledgerGate, ...(storeGate ? [storeGate] : [])];
    return { gateway, gates, storeGate, cutter: new AbortController() };
  }

  const end = async ({ gateway, gates, cutter }: Instance) => {
    cutter.abort();
    await gateway.close();
    for (const gate of gates) await gate[Symbol.asyncDispose]();
  };

  const instances = await Promise.all(Array.from({ length: redis ? 2 : 1 }, (_, index) => launch(index)));
  return {
    sponsor,
    ledger,
    size: instances.length,
    isForward,
    allows: (caller, wrong) => {
      if (preflight === 'enforce') return wrong === 'right';
      return callers[caller] === null || !uncounted.has(wrong);
    },
    remembers: store !== 'memory',
    now,
    advance(ms) {
      ahead += ms;
    },
    nextDay() {
      ahead += dayMs - (now() % dayMs);
      isAwaySince = new Map(lines.map((written) => [written, isAwayAfter(written)]));
      for (const written of lines) written.length = 0;
      lines = instances.map(({ gateway }) => gateway.log);
    },
    ask(index, caller, query, variables, leave) {
      const { gateway, cutter } = instances[index]!;
      const headers = { 'x-api-key': keys[caller], ...(isForward && { authorization: credentialOf(caller) }) };
      return post(gateway.url, headers, { query, variables }, leave ? [cutter.signal, leave] : [cutter.signal]);
    },
    async crash(index) {
      const gone = instances[index]!;
      // Whatever it still does reaches nothing.
      for (const gate of gone.gates) gate.cut();
      gone.cutter.abort();
      if (folder !== null) folder = copyOf(folder);
      ended.push(end(gone));
      instances[index] = await launch(index);
    },
    storeGate: (index) => instances[index]!.storeGate,
    emptyStore: async () => {
      if (redis) await tellRedis(redis, 'FLUSHALL');
    },
    wasStoreAway: () =>
      lines.some((written) => isAwaySince.get(written) || written.some(({ msg }) => isNewsOf(msg, 'unavailable'))),
    log: () => lines.flat(),
    async [Symbol.asyncDispose]() {
      for (const { storeGate } of instances) storeGate?.heal();
      await Promise.all([...instances.map(end), ...ended]);
      for (const each of [ledger, sponsor, redis]) await each?.[Symbol.asyncDispose]();
    },
  };
}

/** A journal as a killed process leaves it, even in the middle of a line. What this process still writes is not in it. */
function copyOf(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'model-'));
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.jsonl')))
    copyFileSync(join(folder, name), join(copy, name));
  return copy;
}

/** Sends one command, and waits for its reply. */
async function tellRedis({ url }: RedisServer, command: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(`${command}\r\n`));
  await once(socket, 'data');
  socket.destroy();
}

/** Longer than any response takes, even when all cores are busy. */
const patienceMs = 15_000;

async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object,
  signals: AbortSignal[],
): Promise<Answered | null> {
  const patience = AbortSignal.timeout(patienceMs);
  try {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.any([...signals, patience]),
    });
    const { data = null, errors = [] } = (await response.json()) as Partial<Answered>;
    return { data, errors };
  } catch {
    if (!patience.aborted) return null;
    return { data: null, errors: [{ message: 'It was never answered.', extensions: { code: 'NEVER_ANSWERED' } }] };
  }
}
