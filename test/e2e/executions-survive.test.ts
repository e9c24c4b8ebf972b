import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../src/devnet/start-devnet.ts';
import { executeOrder, prepareExecution } from '../support/prepare-execution.ts';
import { type RecordedRequest, type RecordingUpstream, recordUpstream } from '../support/recording-upstream.ts';
import { type RedisServer, redisMissing, startRedis } from '../support/redis-server.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { until } from '../support/until.ts';

const token = 'token-of-the-sponsor';
let devnet: Devnet;
let sponsor: RecordingUpstream;

beforeAll(async () => {
  devnet = await startDevnet({ sponsorToken: token, checkpointIntervalMs: 0, genesis: { checkpoints: 3 } });
  sponsor = await recordUpstream(devnet.sponsorUrl);
});

beforeEach(() => {
  sponsor.requests.length = 0;
  sponsor.intercept = undefined;
});

afterAll(async () => {
  for (const each of [sponsor, devnet]) await each?.[Symbol.asyncDispose]();
});

const spawn = (mutationMs: number, more: Readonly<Record<string, string>> = {}) =>
  spawnGateway({
    LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
    SPONSOR_URL: sponsor.url,
    SPONSOR_TOKEN: token,
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'https://dapp.example',
    MUTATION_TIMEOUT_MS: String(mutationMs),
    ...more,
  });

const askOf =
  ({ url }: Pick<SpawnedGateway, 'url'>, signal?: AbortSignal) =>
  async (query: string, variables?: object) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
      ...(signal && { signal }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
    return (await response.json()) as any;
  };

const executions = () => sponsor.requests.filter(({ path }) => path.endsWith('/v1/execute_tx'));
const events = (gateway: SpawnedGateway) => gateway.logged('sponsorship').map(({ event }) => event);

/** Lets the sponsor execute, and closes a checkpoint. @returns the response */
async function execute({ body }: RecordedRequest): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await fetch(`${devnet.sponsorUrl}/v1/execute_tx`, { method: 'POST', headers, body });
  const answer = await response.text();
  devnet.ledger.closeCheckpoint();
  return answer;
}

/** Holds executions back until `release`. */
function hold(): () => void {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  sponsor.intercept = (request, res) => {
    if (!request.path.endsWith('/v1/execute_tx')) return false;
    void held
      .then(() => execute(request))
      .then((answer) => res.writeHead(200, { 'content-type': 'application/json' }).end(answer));
    return true;
  };
  return release;
}

describe('a process that gets SIGTERM', () => {
  it('finishes dispatched executions, with or without clients, and stores their outcome', async () => {
    await using gateway = await spawn(20_000);
    const [waiting, left] = [await prepareExecution(askOf(gateway)), await prepareExecution(askOf(gateway))];
    const release = hold();
    const answered = askOf(gateway)(executeOrder, waiting.order);
    const caller = new AbortController();
    const vanished = askOf(gateway, caller.signal)(executeOrder, left.order).catch(() => null);
    await until(() => executions().length === 2, 'both have arrived');
    caller.abort();
    await vanished;
    gateway.cli.child.kill('SIGTERM');
    await until(() => gateway.logged('stopping: finishing what runs').length === 1, 'it stops');
    release();
    expect((await answered).data.executeTx).toMatchObject({ digest: waiting.digest, outcome: 'EXECUTED' });
    expect(await gateway.cli.ended).toBe(0);
    expect(events(gateway).filter((event) => event === 'executed')).toHaveLength(2);
    expect(gateway.complaints()).toEqual([]);
  });

  it('looks up once more what the sponsor never answered, and exits', async () => {
    await using gateway = await spawn(600);
    const { order, digest } = await prepareExecution(askOf(gateway));
    sponsor.intercept = ({ path }) => path.endsWith('/v1/execute_tx');
    const { errors } = await askOf(gateway)(executeOrder, order);
    expect(errors[0].extensions).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN', digest });
    gateway.cli.child.kill('SIGTERM');
    const [sent] = executions();
    if (sent) await execute(sent);
    expect(await gateway.cli.ended).toBe(0);
    expect(events(gateway).slice(-3)).toEqual(['dispatched', 'unknown', 'recovered']);
    expect(executions()).toHaveLength(1);
  });
});

describe.skipIf(redisMissing)(redisMissing ?? 'a process that is killed while the sponsor executes', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.[Symbol.asyncDispose]());

  it('leaves its fence: no process sends the execution again, and another process responds from the ledger', async () => {
    const shared = { REDIS_URL: redis.url, LEASE_KEYS: 'a-key-of-leases-that-is-long-enough-for-tests' };
    await using one = await spawn(1_000, shared);
    await using other = await spawn(1_000, shared);
    const { order, digest } = await prepareExecution(askOf(one));
    sponsor.intercept = ({ path }) => path.endsWith('/v1/execute_tx');
    const keyed = { ...order, key: 'order-1' };
    const cut = askOf(one)(executeOrder, keyed).catch(() => null);
    await until(() => executions().length === 1, 'it has arrived');
    one.cli.child.kill('SIGKILL');
    await cut;

    const unknown = await askOf(other)(executeOrder, keyed);
    expect(unknown.errors[0].extensions).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN', digest });
    const [sent] = executions();
    if (sent) await execute(sent);
    const codes: unknown[] = [];
    await until(
      async () => {
        const { data, errors } = await askOf(other)(executeOrder, keyed);
        codes.push(errors?.[0].extensions.code);
        return data.executeTx?.outcome === 'RECOVERED';
      },
      () => `it is found; got ${codes}`,
    );
    // Stored for a repeat with the same arguments only.
    const again = await askOf(other)(executeOrder, keyed);
    expect(again.data.executeTx).toEqual({ digest, outcome: 'RECOVERED', effects: null });
    const conflict = await askOf(other)(executeOrder, { ...keyed, sig: Buffer.alloc(97).toString('base64') });
    expect(conflict.errors[0].extensions.code).toBe('IDEMPOTENCY_CONFLICT');
    const bare = await askOf(other)(executeOrder, order);
    expect(bare.errors[0].extensions).toMatchObject({ code: 'RESERVATION_NOT_FOUND', digest });
    expect(executions()).toHaveLength(1);
    await until(() => events(other).includes('recovered'), 'the audit line');
  });
});
