import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../src/devnet/start-devnet.ts';
import { executeOrder, type PreparedExecution, prepareExecution } from '../support/prepare-execution.ts';
import { openRawClient, toPostText } from '../support/raw-client.ts';
import { type RecordedRequest, type RecordingUpstream, recordUpstream } from '../support/recording-upstream.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

const token = 'token-of-the-sponsor';
/** A third of the timeout is left for the ledger when the sponsor never responds. */
const mutationMs = 3_000;
let devnet: Devnet;
let ledger: RecordingUpstream;
let sponsor: RecordingUpstream;
let gateway: TestGateway;

const open = (more: Record<string, string> = {}) =>
  createTestGateway({
    LEDGER_GRAPHQL_URL: ledger.url,
    SPONSOR_URL: sponsor.url,
    SPONSOR_TOKEN: token,
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'https://dapp.example',
    MUTATION_TIMEOUT_MS: String(mutationMs),
    ...more,
  });

beforeAll(async () => {
  devnet = await startDevnet({ sponsorToken: token, checkpointIntervalMs: 0, genesis: { checkpoints: 3 } });
  ledger = await recordUpstream(devnet.graphqlUrl);
  sponsor = await recordUpstream(devnet.sponsorUrl);
  gateway = await open();
});

beforeEach(() => {
  sponsor.requests.length = 0;
  [sponsor.intercept, ledger.intercept] = [undefined, undefined];
});

afterAll(async () => {
  for (const each of [gateway, ledger, sponsor, devnet]) await each?.[Symbol.asyncDispose]();
});

/** Reserves and signs at a gateway. */
async function prepare(at = gateway): Promise<PreparedExecution> {
  const prepared = await prepareExecution((query, variables) => at.query(query, variables));
  sponsor.requests.length = 0;
  return prepared;
}

const execute = /* GraphQL */ `mutation ($id: ID!, $tx: Base64!, $sig: Base64!, $key: String) {
  executeTx(reservationId: $id, txBytes: $tx, userSig: $sig, idempotencyKey: $key) {
    digest outcome effects { status { status } gasUsed { computationCost } raw } transactionBlock(waitMs: 2000) { digest }
  }
}`;

const executions = () => sponsor.requests.filter(({ path }) => path.endsWith('/v1/execute_tx'));

/** Lets the sponsor execute, and replaces its response. */
function spoilAnswer(spoil: (res: ServerResponse, answer: string) => void): void {
  sponsor.intercept = (request, res) => {
    if (!request.path.endsWith('/v1/execute_tx')) return false;
    void execution(request).then((answer) => spoil(res, answer));
    return true;
  };
}

/** Forwards a request to the sponsor, and closes a checkpoint with the execution. */
async function execution({ body }: RecordedRequest): Promise<string> {
  const response = await fetch(`${devnet.sponsorUrl}/v1/execute_tx`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body,
  });
  const answer = await response.text();
  devnet.ledger.closeCheckpoint();
  return answer;
}

/** Audit log lines of a transaction. */
const audit = (digest: string, of = gateway) =>
  of.log.filter((line) => line.msg === 'sponsorship' && line.digest === digest);
const events = (digest: string, of = gateway) => audit(digest, of).map(({ event }) => event);

const json = { 'content-type': 'application/json' };

describe('an execution whose response is lost', () => {
  it.each<[string, (res: ServerResponse, answer: string) => void]>([
    ['is a connection that closes', (res) => void res.socket?.destroy()],
    ['breaks off', (res, answer) => res.writeHead(200, json).write(answer.slice(0, 40), () => res.socket?.destroy())],
    ['is an error nobody knows', (res) => void res.writeHead(500, json).end('{"effects":null,"error":"quorum"}')],
    ['is a page of a proxy', (res) => void res.writeHead(504, { 'content-type': 'text/html' }).end('<html></html>')],
    [
      'is about another transaction',
      (res, answer) =>
        void res.writeHead(200, json).end(answer.replace(/"transactionDigest":"./, '"transactionDigest":"9')),
    ],
    ['is no JSON', (res) => void res.writeHead(200, json).end('{"effects":')],
    ['never comes', () => {}],
  ])('because it %s, is found on the ledger', async (_, spoil) => {
    const { order, digest } = await prepare();
    spoilAnswer(spoil);
    const { data, errors } = await gateway.query(execute, order);
    expect(errors).toBeUndefined();
    expect(data.executeTx).toEqual({ digest, outcome: 'RECOVERED', effects: null, transactionBlock: { digest } });
    expect(executions()).toHaveLength(1);
    expect(events(digest)).toEqual(['dispatched', 'recovered']);
    expect(audit(digest)[1]).toMatchObject({ gasUsed: expect.any(Number), budget: 50_000_000 });
    // The lease stays spent.
    const again = await gateway.query(execute, order);
    expect(again.errors?.[0]?.extensions).toMatchObject({ code: 'RESERVATION_NOT_FOUND', digest });
    expect(executions()).toHaveLength(1);
  });

  it('has an unknown outcome at the timeout, and a known outcome in the log once the ledger has it', async () => {
    await using hurried = await open({ MUTATION_TIMEOUT_MS: '1500' });
    const { order, digest } = await prepare(hurried);
    sponsor.intercept = (_, res) => {
      res.socket?.destroy();
      return true;
    };
    const { data, errors } = await hurried.query(execute, order);
    expect(data).toEqual({ executeTx: null });
    expect(errors?.[0]?.extensions).toEqual({
      code: 'EXECUTION_OUTCOME_UNKNOWN',
      retry: 'look-up',
      upstream: 'sponsor',
      digest,
      reservationId: order.id,
      checkAfterMs: 5_000,
    });
    expect(events(digest, hurried)).toEqual(['dispatched', 'unknown']);
    const [sent] = executions();
    if (sent) await execution(sent);
    await until(() => events(digest, hurried).at(-1) === 'recovered', 'it is found');
    expect(executions()).toHaveLength(1);
  });

  it('is not recovered by a ledger that fails, is slow, or returns another transaction', async () => {
    await using hurried = await open({ MUTATION_TIMEOUT_MS: '2000', REQUEST_TIMEOUT_MS: '2000' });
    for (const lie of [
      (res: ServerResponse) => void res.writeHead(500).end(),
      (res: ServerResponse) => void res.writeHead(200, json).end('{"data":{"found":{"digest":"x","effects":{}}}}'),
      () => {},
    ]) {
      const { order } = await prepare(hurried);
      spoilAnswer((res) => res.socket?.destroy());
      ledger.intercept = ({ body }, res) => {
        if (!body.includes('found:')) return false;
        lie(res);
        return true;
      };
      const { errors } = await hurried.query(execute, order);
      expect(errors?.[0]?.extensions.code).toBe('EXECUTION_OUTCOME_UNKNOWN');
      [sponsor.intercept, ledger.intercept] = [undefined, undefined];
    }
  });
});

describe('an execution', () => {
  it('continues when its caller disconnects, and its outcome is stored', async () => {
    const { order, digest } = await prepare();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    sponsor.intercept = (request, res) => {
      void held.then(() => execution(request)).then((answer) => res.writeHead(200, json).end(answer));
      return true;
    };
    const client = await openRawClient(Number(new URL(gateway.url).port));
    await client.send(toPostText({ query: executeOrder, variables: order }));
    await until(() => executions().length === 1, 'it has arrived');
    client.vanish('resetting');
    release();
    await until(() => events(digest).length === 2, 'its end is written');
    expect(events(digest)).toEqual(['dispatched', 'executed']);
    const again = await gateway.query(executeOrder, order);
    expect(again.errors?.[0]?.extensions).toMatchObject({ code: 'RESERVATION_NOT_FOUND', digest });
  });

  it('is shared by all its twins, and the only one of its lease', async () => {
    const { order, digest } = await prepare();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    sponsor.intercept = (request, res) => {
      void held.then(() => execution(request)).then((answer) => res.writeHead(200, json).end(answer));
      return true;
    };
    const twins = Array.from({ length: 60 }, () => gateway.query(executeOrder, order));
    await until(() => executions().length === 1, 'one has arrived');
    // Has the form of a signature.
    const toSignature = (at: number) => Buffer.concat([Buffer.alloc(1), Buffer.alloc(96, at)]).toString('base64');
    const others = Array.from({ length: 30 }, (_, at) =>
      gateway.query(executeOrder, { ...order, sig: toSignature(at) }),
    );
    for (const { errors } of await Promise.all(others))
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'RESERVATION_NOT_FOUND', digest });
    release();
    for (const { data } of await Promise.all(twins)) expect(data.executeTx).toMatchObject({ outcome: 'EXECUTED' });
    expect(executions()).toHaveLength(1);
  });

  it('is replayed under its key with its effects, and the key accepts no other arguments', async () => {
    const { order, digest } = await prepare();
    const first = await gateway.query(executeOrder, { ...order, key: 'order-1' });
    expect(first.data.executeTx).toMatchObject({
      digest,
      outcome: 'EXECUTED',
      effects: { status: { status: 'success' } },
    });
    const again = await gateway.query(executeOrder, { ...order, key: 'order-1' });
    expect(again.data.executeTx.effects).toEqual(first.data.executeTx.effects);
    expect(again.data.executeTx.outcome).toBe('EXECUTED');
    const other = await gateway.query(executeOrder, { ...(await prepare()).order, key: 'order-1' });
    expect(other.errors?.[0]?.extensions.code).toBe('IDEMPOTENCY_CONFLICT');
    expect(executions()).toHaveLength(0);
    expect(events(digest)).toEqual(['dispatched', 'executed', 'replayed']);
  });

  it.each(['', 'with space', 'ü', 'x'.repeat(256)])('rejects the key %j', async (key) => {
    const { order } = await prepare();
    const { errors } = await gateway.query(executeOrder, { ...order, key });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'idempotencyKey' });
    expect(executions()).toHaveLength(0);
  });
});
