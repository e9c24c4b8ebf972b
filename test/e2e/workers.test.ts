import { readFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:http';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, redisMissing, startRedis } from '../support/redis-server.ts';
import { type RunningCli, runCli } from '../support/run-cli.ts';
import { type ScriptedLedger, startScriptedLedger } from '../support/scripted-ledger.ts';
import { until } from '../support/until.ts';

interface Answer {
  readonly id: string;
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
  readonly body: any;
}

interface Asking {
  readonly variables?: object;
  /** The client address. */
  readonly from?: string;
  /** Timeout for a response, in milliseconds. */
  readonly patienceMs?: number;
}

let asked = 0;

/**
 * Sends one operation on its own connection, with an id by which the log can be searched. Rejects when the connection breaks.
 */
function ask(url: string, query: string, asking: Asking = {}): Promise<Answer> {
  const { variables, from = '10.0.0.1', patienceMs = 20_000 } = asking;
  const id = `asked-${++asked}`;
  const headers = { 'content-type': 'application/json', 'x-request-id': id, 'x-forwarded-for': from };
  return send(url, { method: 'POST', headers, timeout: patienceMs }, id, JSON.stringify({ query, variables }));
}

function send(url: string, options: RequestOptions, id: string, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, ...options }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('error', reject);
      res.on('end', () => resolve({ id, status: res.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on('timeout', () => sent.destroy(new Error('nobody answers')));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Log lines so far; fails on output that is not a log line. */
const linesOf = (cli: RunningCli) =>
  cli
    .out()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Which process served each request. */
async function answerersOf(cli: RunningCli, answers: readonly Answer[]): Promise<unknown[]> {
  const find = () => {
    const pids = new Map(linesOf(cli).map(({ requestId, pid }) => [requestId, pid]));
    return answers.map(({ id }) => pids.get(id));
  };
  await until(() => !find().includes(undefined), 'the lines of these requests');
  return find();
}

/** A dead process exists until its parent collects its exit status, which may never happen once the parent is gone. */
const isAlive = (pid: unknown) => {
  try {
    process.kill(Number(pid), 0);
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

const settings = { WORKERS: '2', PORT: '0', HOST: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' };
const ready = /"url":"(http:[^"]+)"[^\n]*"workers":2,"msg":"ready"/;

describe.skipIf(redisMissing)(redisMissing ?? 'two workers on the simulated network', () => {
  let redis: RedisServer;
  let cli: RunningCli;
  let url = '';

  beforeAll(async () => {
    redis = await startRedis();
    cli = runCli(['serve'], { ...settings, REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '300' });
    [, url = ''] = await cli.waitFor(ready);
  });
  afterAll(async () => {
    cli?.child.kill('SIGKILL');
    await redis?.[Symbol.asyncDispose]();
  });

  /** Reserves coins, and lets a transaction that spends them be signed. */
  const reserveAndSign = async () => {
    const reserved = await ask(
      url,
      'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasCoins { objectId version digest } } }',
    );
    const { reservationId, sponsorAddress, gasCoins } = reserved.body.data.reserveGas;
    const signed = await ask(
      url,
      `query($from: LedgerAddress!, $coins: [DevnetGasCoinInput!]!) {
        devnetSignTransaction(sponsorAddress: $from, gasCoins: $coins, gasBudget: 5000000) { txBytes userSig digest }
      }`,
      { variables: { from: sponsorAddress, coins: gasCoins } },
    );
    const { txBytes, userSig, digest } = signed.body.data.devnetSignTransaction;
    const execute = (selected: string, key: string | null = null) =>
      ask(
        url,
        `mutation($id: ID!, $tx: Base64!, $sig: Base64!, $key: String) {
          executeTx(reservationId: $id, txBytes: $tx, userSig: $sig, idempotencyKey: $key) { ${selected} }
        }`,
        { variables: { id: reservationId, tx: txBytes, sig: userSig, key } },
      );
    return { digest, execute, answers: [reserved, signed] };
  };

  test('are one service: ready is logged once, when both serve, on one chosen port', async () => {
    const lines = linesOf(cli);
    expect(lines.filter(({ msg }) => msg === 'ready')).toHaveLength(1);
    expect(lines.filter(({ msg }) => String(msg).startsWith('SIMULATED'))).toHaveLength(1);
    expect(lines.filter(({ pid }) => pid === undefined)).toEqual([]);
    const { status, body } = await send(new URL('/health/ready', url).href, {}, 'probe');
    expect([status, body.workers]).toEqual([200, { serving: 2, of: 2 }]);
  });

  test('accept each other’s cursors', async () => {
    const page = `query($after: String) {
      queryEvents(first: 3, after: $after) { pageInfo { endCursor } edges { cursor } }
    }`;
    const pages: Answer[] = [];
    let after: string | null = null;
    const isKnownToBoth = async () => new Set(await answerersOf(cli, pages)).size === 2;
    // They usually alternate; a worker that is slow for a moment is skipped.
    while (pages.length < 6 || (pages.length < 60 && !(await isKnownToBoth()))) {
      const answer = await ask(url, page, { variables: { after } });
      expect(answer.body.errors).toBeUndefined();
      after = answer.body.data.queryEvents.pageInfo.endCursor;
      pages.push(answer);
    }
    const cursors = pages.flatMap(({ body }) =>
      body.data.queryEvents.edges.map((edge: { cursor: string }) => edge.cursor),
    );
    expect(new Set(cursors).size).toBe(3 * pages.length);
    expect(await isKnownToBoth()).toBe(true);
  });

  test('share one network: one reserves, another executes, and each sees the outcome', async () => {
    const { digest, execute, answers } = await reserveAndSign();
    const executed = await execute('effects { status { status } }');
    answers.push(executed);
    expect(executed.body.errors).toBeUndefined();
    const isSeen = async () => {
      const seen = await ask(url, `{ transactionBlock(digest: "${digest}") { digest } }`);
      answers.push(seen);
      return seen.body.data.transactionBlock?.digest === digest;
    };
    for (let look = 0; look < 4; look += 1) await until(isSeen, 'the transaction');
    const isSeenByBoth = async () => new Set(await answerersOf(cli, answers)).size === 2;
    while (answers.length < 60 && !(await isSeenByBoth())) await until(isSeen, 'the transaction');
    expect(await isSeenByBoth()).toBe(true);
  });

  test('share the sponsorship store: one dispatches, and the others know the outcome', async () => {
    const { digest, execute } = await reserveAndSign();
    const twins = await Promise.all(Array.from({ length: 6 }, () => execute('digest outcome', 'once')));
    const executed = { executeTx: { digest, outcome: 'EXECUTED' } };
    expect(twins.map(({ body }) => body.data)).toEqual(twins.map(() => executed));
    const later = [await execute('digest outcome'), await execute('digest outcome')];
    const isKnownToBoth = async () => new Set(await answerersOf(cli, [...twins, ...later])).size === 2;
    while (later.length < 60 && !(await isKnownToBoth())) later.push(await execute('digest outcome'));
    expect(later.map(({ body }) => body.errors[0].extensions)).toMatchObject(
      later.map(() => ({ code: 'RESERVATION_NOT_FOUND', digest })),
    );
    expect(await isKnownToBoth()).toBe(true);
    const dispatched = linesOf(cli).filter((line) => line.event === 'dispatched' && line.digest === digest);
    expect(dispatched).toHaveLength(1);
  });

  const forwarded = () => linesOf(cli).filter(({ msg, operations }) => msg === 'request' && isForwarded(operations));
  const readMetrics = async () => (await fetch(new URL('/metrics', url))).text();
  const sum = (page: string) =>
    [...page.matchAll(/^ledger_gateway_requests_total\{.*plan="PASS_THROUGH",outcome="ok"\} (\d+)$/gm)]
      .map(([, count]) => Number(count))
      .reduce((total, count) => total + count, 0);
  /** Forwarded requests of all workers that the page of metrics must contain, once one of them is killed. */
  let least = () => 0;

  test('continue when one of them is killed under load, and are two again', async () => {
    const early = await Promise.all(
      Array.from({ length: 20 }, () => ask(url, '{ chainIdentifier }', { from: '10.1.1.1' })),
    );
    await answerersOf(cli, early);
    // Each worker reports once a second.
    await until(async () => sum(await readMetrics()) >= forwarded().length, 'the counts so far');
    const pidsBefore = new Set(linesOf(cli).flatMap(({ msg, pid }) => (msg === 'request' ? [pid as number] : [])));
    const [killed = 0, other] = [...pidsBefore];
    const reported = forwarded().filter(({ pid }) => pid === killed).length;
    least = () => reported + forwarded().filter(({ pid }) => pid !== killed).length;
    const outcomes: (Answer | Error)[] = [];
    let isOver = false;
    let callers = 0;
    const load = async () => {
      const from = `10.1.0.${++callers}`;
      for (let count = 0; !isOver && count < 290; count += 1) {
        outcomes.push(
          await ask(url, '{ chainIdentifier }', { from, patienceMs: 10_000 }).catch((error: Error) => error),
        );
      }
    };
    const loads = Array.from({ length: 8 }, load);
    await until(() => outcomes.length > 20, 'some answers');
    process.kill(killed, 'SIGKILL');
    await cli.waitFor(/"msg":"a new worker serves"/);
    isOver = true;
    await Promise.all(loads);
    // Operations in the killed worker are lost; no client got a wrong response.
    expect(outcomes.flatMap((outcome) => ('status' in outcome && outcome.status !== 200 ? [outcome] : []))).toEqual([]);
    expect(outcomes.filter((outcome) => outcome instanceof Error).length).toBeLessThanOrEqual(8);
    const lost = linesOf(cli).find(({ msg }) => msg === 'a worker exited; starting a replacement');
    expect(lost).toMatchObject({ level: 'error', worker: killed, signal: 'SIGKILL', againInMs: 0 });
    const later = await Promise.all(Array.from({ length: 20 }, () => ask(url, '{ chainIdentifier }')));
    const pids = new Set(await answerersOf(cli, later));
    expect(pids.size).toBe(2);
    expect(pids).toContain(other);
    expect(pids).not.toContain(killed);
  });

  test('share a page of metrics, with the counts of a worker that exited', async () => {
    // The killed worker took the counts of its last second along.
    const isComplete = async () => {
      const page = await readMetrics();
      const isCounted = sum(page) >= least() && sum(page) <= forwarded().length;
      return page.includes('ledger_gateway_worker_exits_total 1') && isCounted;
    };
    await until(isComplete, 'the counts of all workers');
    expect(await readMetrics()).toMatch(/^ledger_gateway_worker_age_seconds\{worker="2"\} [\d.]+$/m);
  });

  test('exit together with code 0, and leave no process behind', async () => {
    const pids = new Set(linesOf(cli).map(({ pid }) => pid));
    cli.child.kill('SIGTERM');
    expect(await cli.ended).toBe(0);
    expect(cli.error()).toBe('');
    expect(linesOf(cli).slice(-1)).toMatchObject([{ msg: 'stopped' }]);
    expect([...pids].filter(isAlive)).toEqual([]);
  });
});

/** Did the ledger alone answer it? */
const isForwarded = (operations: unknown): boolean =>
  Array.isArray(operations) && operations.some(({ plan }: { readonly plan: string }) => plan === 'PASS_THROUGH');

describe('two workers in front of a slow ledger', () => {
  let ledger: ScriptedLedger;
  let waiting: (() => void)[] = [];
  const running: RunningCli[] = [];

  beforeAll(async () => {
    ledger = await startScriptedLedger('type Query { chainIdentifier: String! slow(id: Int!): String! }', {
      Query: {
        chainIdentifier: () => 'c1',
        slow: (_: unknown, { id }: { id: number }) =>
          new Promise((resolve) => waiting.push(() => resolve(`slow ${id}`))),
      },
    });
  });
  afterAll(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await ledger?.close();
  });

  const start = async (env: Readonly<Record<string, string>> = {}) => {
    const cli = runCli(['serve'], { ...settings, LEDGER_GRAPHQL_URL: ledger.url, ...env });
    running.push(cli);
    const [, url = ''] = await cli.waitFor(ready);
    waiting = [];
    const answers = Array.from({ length: 8 }, (_, id) => ask(url, `{ slow(id: ${id}) }`));
    await until(() => waiting.length === answers.length, 'all of them at the ledger');
    return { cli, url, answers };
  };

  test('grant one caller exactly as much as one process would', async () => {
    const { cli, url, answers } = await start({ RATE_LIMIT_PER_MINUTE: '300' });
    for (const answer of waiting) answer();
    await Promise.all(answers);
    const asked = await Promise.all(
      Array.from({ length: 400 }, () => ask(url, '{ gateway { version } }', { from: '10.0.0.2' })),
    );
    expect(asked.filter(({ status }) => status === 200)).toHaveLength(300);
    expect(asked.filter(({ status }) => status === 429)).toHaveLength(100);
    // Rejected requests share log lines.
    const served = asked.filter(({ status }) => status === 200);
    expect(new Set(await answerersOf(cli, served)).size).toBe(2);
    cli.child.kill('SIGTERM');
    expect(await cli.ended).toBe(0);
  });

  test('finish running operations after SIGTERM, and accept no more', async () => {
    const { cli, url, answers } = await start();
    cli.child.kill('SIGTERM');
    await cli.waitFor(/"msg":"stopping: finishing what runs"/);
    // A connection at this moment may be accepted, or wait between two processes: it gets no response, but is soon closed.
    const isRefused = () =>
      ask(url, '{ chainIdentifier }', { patienceMs: 500 }).then(
        () => false,
        ({ code }: NodeJS.ErrnoException) => code === 'ECONNREFUSED',
      );
    await until(isRefused, 'a closed door');
    for (const answer of waiting) answer();
    expect((await Promise.all(answers)).map(({ body }) => body)).toEqual(
      answers.map((_, id) => ({ data: { slow: `slow ${id}` } })),
    );
    expect(new Set(await answerersOf(cli, await Promise.all(answers))).size).toBe(2);
    expect(await cli.ended).toBe(0);
  });

  test('all exit immediately on the second signal', async () => {
    const { cli, answers } = await start();
    const outcomes = Promise.allSettled(answers);
    const pids = new Set(linesOf(cli).map(({ pid }) => pid));
    cli.child.kill('SIGTERM');
    await cli.waitFor(/"msg":"stopping: finishing what runs"/);
    // Signals close together count as one: a terminal sends one, and npm forwards another.
    const again = setInterval(() => cli.child.kill('SIGTERM'), 100);
    expect(await cli.ended).toBe(143);
    clearInterval(again);
    expect((await outcomes).map(({ status }) => status)).toEqual(answers.map(() => 'rejected'));
    await until(() => ![...pids].some(isAlive), 'the end of the workers');
  });

  test('poll its schema as often as one process would, and all use a new schema once one has seen it', async () => {
    const { cli, url } = await start({ SCHEMA_POLL_MS: '300' });
    for (const answer of waiting) answer();
    const changed = await startScriptedLedger('type Query { chainIdentifier: String! later: Int }');
    ledger.schema = changed.schema;
    await changed.close();
    const knows = async () => {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => ask(url, '{ __type(name: "Query") { fields { name } } }')),
      );
      return answers.every(({ body }) =>
        body.data.__type.fields.some(({ name }: { name: string }) => name === 'later'),
      );
    };
    await until(knows, 'the new schema in all of them');
    const adopted = linesOf(cli).filter(({ msg }) => msg === 'a new schema is in force');
    // Each at its start, and once more.
    expect(adopted).toHaveLength(4);
    cli.child.kill('SIGTERM');
    expect(await cli.ended).toBe(0);
  });
});

describe('with a sponsor and without Redis,', () => {
  test('several workers are a configuration mistake, in both sponsor modes', async () => {
    const real = { LEDGER_GRAPHQL_URL: 'http://127.0.0.1:1', SPONSOR_URL: 'http://127.0.0.1:1' };
    const clis = [{}, real].map((env) => runCli(['serve'], { ...settings, ...env }));
    for (const cli of clis) {
      expect(await cli.ended).toBe(2);
      expect(cli.error()).toMatch(/^REDIS_URL: [^\n]*WORKERS=2[^\n]*\n$/);
      expect(cli.out()).toBe('');
    }
  });

  test('WORKERS=auto starts one process', async () => {
    const cli = runCli(['serve'], { ...settings, WORKERS: 'auto' });
    const [line] = await cli.waitFor(/[^\n]*"msg":"ready"\}/);
    expect(JSON.parse(line)).not.toHaveProperty('workers');
    const warnings = linesOf(cli).filter(({ msg }) => /^WORKERS=auto serves in one process/.test(String(msg)));
    expect(warnings).toHaveLength(availableParallelism() > 1 ? 1 : 0);
    cli.child.kill('SIGTERM');
    expect(await cli.ended).toBe(0);
  });
});

describe('workers that cannot start', () => {
  test('log one line, and the gateway exits with 1', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    try {
      const address = blocker.address();
      const port = String(typeof address === 'object' ? address?.port : '');
      const cli = runCli(['serve'], { ...settings, LEDGER_GRAPHQL_URL: 'http://127.0.0.1:1', PORT: port });
      expect(await cli.ended).toBe(1);
      expect(cli.error()).toMatch(/^ledger-gateway: .*EADDRINUSE[^\n]*\n$/);
      expect(linesOf(cli).filter(({ level }) => level === 'fatal')).toHaveLength(1);
    } finally {
      blocker.close();
    }
  });
});
