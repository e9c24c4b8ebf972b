import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { isErrorCode } from '../../../src/errors/catalogue.ts';
import type { SponsorObservation } from '../../../src/sponsor/sponsor-client.ts';
import {
  createSponsorClient,
  type SponsorClient,
  type SponsorClientOptions,
} from '../../../src/sponsor/sponsor-client.ts';
import { mayHaveRun } from '../../../src/sponsor/sponsor-refusal.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import type { UpstreamRequest } from '../../../src/upstream/upstream-call.ts';
import { UpstreamCallError } from '../../../src/upstream/upstream-call-error.ts';
import { sponsorEffects } from '../../support/sponsor-effects.ts';

const token = 's3cr3t-t0ken-of-the-sponsor';
const authorization = new Secret(`Bearer ${token}`);
const goingOn = createCancellation();
const execution = {
  rawReservationId: '18446744073709551615',
  reservationId: 'of-the-caller',
  txBytes: 'AAAA',
  userSig: 'BBBB',
  requestType: 'waitForEffectsCert',
  digest: 'TX',
} as const;

interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly body: string;
}

function setUp(reply: Reply | Error, options: Partial<SponsorClientOptions> = {}) {
  const requests: UpstreamRequest[] = [];
  const observations: SponsorObservation[] = [];
  const client = createSponsorClient({
    async call(request) {
      requests.push(request);
      if (reply instanceof Error) throw reply;
      const { status = 200, type = 'application/json', body } = reply;
      return { status, headers: new Map([['content-type', type]]), body: Buffer.from(body) };
    },
    path: '/sponsor/',
    requestTypeKey: 'requestType',
    timeouts: { queryMs: 15_000, mutationMs: 30_000 },
    observe: (observation) => observations.push(observation),
    ...options,
  });
  return { client, requests, observations };
}

const json = (value: unknown, status = 200): Reply => ({ status, body: JSON.stringify(value) });

async function refusalOf(result: Promise<unknown>): Promise<GraphQLError> {
  const error = await result.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof GraphQLError)) throw error;
  return error;
}

const everyCall: readonly [string, (client: SponsorClient) => Promise<unknown>][] = [
  ['health', (client) => client.health(authorization, goingOn)],
  ['version', (client) => client.version(authorization, createCancellation())],
  ['debugHealthCheck', (client) => client.debugHealthCheck(authorization, goingOn)],
  ['reserveGas', (client) => client.reserveGas({ gasBudget: 1, reserveDurationSecs: 1 }, authorization, goingOn)],
  ['executeTx', (client) => client.executeTx(execution, authorization, goingOn)],
  ['reloadAccessController', (client) => client.reloadAccessController(authorization, goingOn)],
];

describe('a request', () => {
  it('is not sent with a credential that is no valid header', async () => {
    const { client, requests } = setUp(json('OK'));
    const asked = client.health(new Secret('Bearer a\r\nb'), createCancellation(1_000));
    expect((await refusalOf(asked)).extensions).toEqual({ code: 'UNAUTHENTICATED', retry: 'never' });
    expect(requests).toEqual([]);
  });

  it('reserves below the base path', async () => {
    const { client, requests } = setUp(
      json({ result: { sponsor_address: '0x5', reservation_id: 42, gas_coins: [] }, error: null }),
    );
    await client.reserveGas({ gasBudget: 5_000_000, reserveDurationSecs: 60 }, authorization, goingOn);
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/sponsor/v1/reserve_gas',
        headers: {
          accept: 'application/json, text/plain',
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
        },
        body: '{"gas_budget":5000000,"reserve_duration_secs":60}',
        timeoutMs: 30_000,
      },
    ]);
  });

  it.each(['requestType', 'request_type'] as const)(
    'executes with the exact id and waits by %s',
    async (requestTypeKey) => {
      const { client, requests } = setUp(json({ effects: sponsorEffects('TX') }), { requestTypeKey });
      await client.executeTx(execution, authorization, goingOn);
      expect(requests[0]).toMatchObject({
        path: '/sponsor/v1/execute_tx',
        body: `{"reservation_id":18446744073709551615,"tx_bytes":"AAAA","user_sig":"BBBB","${requestTypeKey}":"waitForEffectsCert"}`,
      });
    },
  );

  it.each([
    ['', '/', '/version'],
    ['/', '/', '/version'],
    ['/a/b', '/a/b/', '/a/b/version'],
  ])('goes below the base path %j', async (path, health, version) => {
    const { client, requests } = setUp({ body: 'OK', type: 'text/plain' }, { path });
    await client.health(null, createCancellation());
    await client.version(null, createCancellation());
    expect(requests.map(({ path }) => path)).toEqual([health, version]);
  });

  it('has no authorization header without a credential', async () => {
    const { client, requests } = setUp({ body: '"OK"' });
    await client.health(null, createCancellation());
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('ends with its operation if it is a read, and continues as long again if it may move money', async () => {
    const runOnMs: Record<string, number | undefined> = {};
    for (const [name, ask] of everyCall) {
      const { client, requests } = setUp(new UpstreamCallError('timeout', 'x'));
      await refusalOf(ask(client));
      expect(requests[0]?.cancellation).toBeDefined();
      runOnMs[name] = requests[0]?.runOnMs;
    }
    expect(runOnMs).toEqual({
      health: undefined,
      version: undefined,
      debugHealthCheck: 30_000,
      reserveGas: 30_000,
      executeTx: 30_000,
      reloadAccessController: 30_000,
    });
  });
});

describe('is not repeated', () => {
  it.each(everyCall)('by %s', async (_, ask) => {
    for (const reply of [
      new UpstreamCallError('unreachable', 'x'),
      new UpstreamCallError('interrupted', 'x'),
      { status: 503, body: '{"error":"x"}' },
      { status: 429, body: '{"error":"x"}' },
    ]) {
      const { client, requests } = setUp(reply);
      await refusalOf(ask(client));
      expect(requests).toHaveLength(1);
    }
  });
});

describe('the token', () => {
  const leaks: readonly Reply[] = [
    { status: 401, body: JSON.stringify({ error: `Invalid authorization token ${token}` }) },
    { status: 400, body: JSON.stringify({ error: `bad header "Bearer ${token}"` }) },
    { status: 500, body: JSON.stringify({ error: `cannot match ${token} at redis://x:pw@y` }) },
    { status: 400, type: 'text/plain', body: `bad header Bearer ${token}` },
    { status: 200, type: 'text/html', body: `<html>${token}</html>` },
    { status: 200, type: 'text/plain', body: `Failed to check health: ${token}` },
    { status: 200, body: JSON.stringify({ effects: sponsorEffects(token) }) },
  ];

  it.each(everyCall)('is in no error and no log event of %s, whatever the sponsor echoes', async (_, ask) => {
    for (const reply of leaks) {
      const { client, observations } = setUp(reply);
      const outcome = await ask(client).catch((error: unknown) => error);
      expect(JSON.stringify([outcome, outcome instanceof Error ? outcome.message : '', observations])).not.toContain(
        token,
      );
    }
  });
});

describe('reserveGas', () => {
  it('keeps a 64-bit id exact', async () => {
    const { client } = setUp({
      body: '{"result":{"sponsor_address":"0x5","reservation_id":18446744073709551615,"gas_coins":[]}}',
    });
    expect(await client.reserveGas({ gasBudget: 1, reserveDurationSecs: 1 }, null, goingOn)).toEqual({
      rawReservationId: '18446744073709551615',
      sponsorAddress: '0x5',
      gasCoins: [],
    });
  });

  it('reports an unknown message to the operator and does not show it', async () => {
    const { client, observations } = setUp(json({ result: null, error: 'redis at 10.0.0.1 is gone' }, 500));
    const error = await refusalOf(client.reserveGas({ gasBudget: 1, reserveDurationSecs: 1 }, null, goingOn));
    expect(error.message).not.toContain('10.0.0.1');
    expect(observations).toEqual([
      {
        endpoint: 'reserveGas',
        status: 500,
        what: 'unknown-text',
        text: '{"result":null,"error":"redis at 10.0.0.1 is gone"}',
      },
    ]);
  });

  it('reports nothing about a known rejection', async () => {
    const { client, observations } = setUp(json({ error: 'Gas usage exceeds daily cap' }, 500));
    const error = await refusalOf(client.reserveGas({ gasBudget: 1, reserveDurationSecs: 1 }, null, goingOn));
    expect(error.extensions).toEqual({ code: 'SPONSOR_EXHAUSTED', retry: 'backoff', upstream: 'sponsor' });
    expect(observations).toEqual([]);
  });

  it('may have locked coins unless its response is a rejection', async () => {
    const mayHaveLocked = async (reply: Reply) => {
      const { client } = setUp(reply);
      return mayHaveRun(await refusalOf(client.reserveGas({ gasBudget: 1, reserveDurationSecs: 1 }, null, goingOn)));
    };
    expect(await mayHaveLocked({ status: 502, type: 'text/html', body: '<html></html>' })).toBe(true);
    expect(await mayHaveLocked(json({ result: null, error: 'unknown' }, 500))).toBe(true);
    expect(await mayHaveLocked(json({ result: null, error: 'no' }, 400))).toBe(false);
  });

  it('cuts a very long rejection', async () => {
    const { client } = setUp(json({ error: 'x'.repeat(10_000) }, 400));
    const error = await refusalOf(client.reserveGas({ gasBudget: 1, reserveDurationSecs: 1 }, null, goingOn));
    expect(error.message).toBe(`${'x'.repeat(500)}…`);
  });
});

describe('executeTx', () => {
  it('distinguishes success and failure', async () => {
    const failure = sponsorEffects('TX', { status: { status: 'failure', error: 'MoveAbort(1)' } });
    expect(
      await setUp(json({ effects: sponsorEffects('TX') })).client.executeTx(execution, null, goingOn),
    ).toMatchObject({
      succeeded: true,
    });
    expect(
      await setUp(json({ effects: failure, error: null })).client.executeTx(execution, null, goingOn),
    ).toMatchObject({
      succeeded: false,
      effects: { status: { error: 'MoveAbort(1)' } },
    });
  });

  it('keeps the outcome if the rest of the effects is unknown, and reports this', async () => {
    const { client, observations } = setUp(json({ effects: sponsorEffects('TX', { gasUsed: 'much' }) }));
    expect(await client.executeTx(execution, null, goingOn)).toMatchObject({
      digest: 'TX',
      succeeded: true,
      effects: null,
    });
    expect(observations).toMatchObject([{ what: 'unreadable-effects', endpoint: 'executeTx' }]);
  });

  it('has an unknown outcome if the effects belong to another transaction', async () => {
    const { client, observations } = setUp(json({ effects: sponsorEffects('OTHER'), error: null }));
    const error = await refusalOf(client.executeTx(execution, null, goingOn));
    expect(error.extensions).toEqual({
      code: 'EXECUTION_OUTCOME_UNKNOWN',
      retry: 'look-up',
      upstream: 'sponsor',
      digest: 'TX',
      reservationId: 'of-the-caller',
      checkAfterMs: 5_000,
    });
    expect(observations).toMatchObject([{ what: 'digest-mismatch' }]);
  });

  it.each([400, 401, 403, 404, 408, 409, 422, 429, 500, 503])(
    'ran if it has effects, even under status %d',
    async (status) => {
      const told = async (effects: object) => {
        const { client } = setUp(json({ effects, error: 'Access denied by access controller' }, status));
        return client.executeTx(execution, null, goingOn);
      };
      expect(await told(sponsorEffects('TX'))).toMatchObject({ digest: 'TX', succeeded: true });
      const failure = { status: { status: 'failure', error: 'MoveAbort(1)' } };
      expect(await told(sponsorEffects('TX', failure))).toMatchObject({ succeeded: false });
    },
  );

  const error = 'Access denied by access controller';
  it.each([
    ['effects of another transaction', 'application/json', { effects: sponsorEffects('OTHER'), error }],
    ['effects of a form unknown here', 'application/json', { effects: [{ digest: 'OTHER' }], error }],
    ['a refusal that names the transaction', 'application/json', { error: 'Object is already locked: by TX' }],
    ['an answer of another form that names it', 'text/plain', { response: { rawEffects: 'AAA=', of: 'TX' } }],
  ])('has an unknown outcome after %s, under every status', async (_, type, body) => {
    for (const status of [200, 400, 403, 404, 422, 500]) {
      const { client } = setUp({ status, type, body: JSON.stringify(body) });
      const { code } = (await refusalOf(client.executeTx(execution, null, goingOn))).extensions;
      expect([status, code]).toEqual([status, 'EXECUTION_OUTCOME_UNKNOWN']);
    }
  });

  it.each([
    ['200 that is no JSON', { body: '{"effects":' }],
    ['200 of plain text', { type: 'text/plain', body: JSON.stringify({ effects: sponsorEffects('TX') }) }],
    ['an unknown 500', { status: 500, body: '{"effects":null,"error":"quorum timed out"}' }],
    ['a proxy’s 502', { status: 502, type: 'text/html', body: '<html></html>' }],
    ['an answer cut short', new UpstreamCallError('interrupted', 'x')],
    ['silence', new UpstreamCallError('timeout', 'x')],
  ])('has an unknown outcome after %s', async (_, reply) => {
    const error = await refusalOf(setUp(reply).client.executeTx(execution, null, goingOn));
    expect(error.extensions).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN', digest: 'TX', checkAfterMs: 5_000 });
  });

  it.each([
    ['SPONSOR_MAINTENANCE', 503, 'Gas station is in maintenance mode. Please try again later.'],
    ['SPONSOR_EXHAUSTED', 429, 'slow down'],
  ])(
    'rejected with %s advises no retry, because its reservation is spent; reserveGas does',
    async (code, status, error) => {
      const { client } = setUp(json({ error }, status));
      const { extensions } = await refusalOf(client.executeTx(execution, null, goingOn));
      expect(extensions).toMatchObject({ code, retry: 'never' });
      const reserved = client.reserveGas({ gasBudget: 1, reserveDurationSecs: 1 }, null, goingOn);
      expect((await refusalOf(reserved)).extensions).toMatchObject({ code, retry: 'backoff' });
    },
  );

  it('names digest and reservation in a rejection, so that the caller can look it up', async () => {
    const { client } = setUp(json({ effects: null, error: 'Reservation no longer exist: 42' }, 500));
    const error = await refusalOf(client.executeTx(execution, null, goingOn));
    expect(error.extensions).toEqual({
      code: 'RESERVATION_NOT_FOUND',
      retry: 'look-up',
      upstream: 'sponsor',
      digest: 'TX',
      reservationId: 'of-the-caller',
    });
  });
});

describe('the end of a call without a client', () => {
  it.each([
    ['answered', json({ effects: sponsorEffects('TX') }), 'Executed.', 'TX'],
    ['lost', new UpstreamCallError('interrupted', 'x'), 'No answer: x.', 'EXECUTION_OUTCOME_UNKNOWN'],
  ] as const)('is told to operator and caller once when it is %s after its time', async (_, end, text, outcome) => {
    const cancellation = createCancellation();
    let late: UpstreamRequest['late'];
    const { client, observations } = setUp(json(null), {
      async call(request) {
        ({ late } = request);
        cancellation.cancel('aborted');
        throw new UpstreamCallError('timeout', 'x');
      },
    });
    const ends: Promise<unknown>[] = [];
    const noteEnd = (ended: ReturnType<SponsorClient['executeTx']>) => {
      ends.push(
        ended.then(
          ({ digest }) => digest,
          (error: GraphQLError) => error.extensions.code,
        ),
      );
    };
    await refusalOf(client.executeTx(execution, null, cancellation, noteEnd));
    expect([observations, ends]).toEqual([[], []]);
    late?.(end instanceof Error ? end : { status: 200, headers: new Map(), body: Buffer.from(end.body) });
    expect(observations).toMatchObject([{ what: 'unheard-outcome', text, digest: 'TX' }]);
    expect(await Promise.all(ends)).toEqual([outcome]);
  });

  it('is reported immediately if its response was lost, and not at all while its client waits', async () => {
    const gone = createCancellation();
    gone.cancel('aborted');
    for (const cancellation of [gone, goingOn]) {
      const { client, observations } = setUp(new UpstreamCallError('interrupted', 'x'));
      await refusalOf(client.executeTx(execution, null, cancellation));
      expect(observations.map(({ what }) => what)).toEqual(cancellation === gone ? ['unheard-outcome'] : []);
    }
  });
});

describe('debugHealthCheck', () => {
  it.each([{ body: '"OK"' }, { body: 'OK', type: 'text/plain' }])(
    'is healthy if the sponsor responds %j',
    async (reply) => {
      expect(await setUp(reply).client.debugHealthCheck(null, goingOn)).toEqual({ ok: true, message: 'OK' });
    },
  );

  it.each([{ body: '"Unauthorized"' }, { body: 'Unauthorized', type: 'text/plain' }])(
    'is an error if the token is wrong, under 200 as %j',
    async (reply) => {
      const error = await refusalOf(setUp(reply).client.debugHealthCheck(null, goingOn));
      expect(error.extensions).toEqual({ code: 'SPONSOR_UNAUTHORIZED', retry: 'never', upstream: 'sponsor' });
    },
  );

  it('is a result without the reason if the check failed; the reason is logged', async () => {
    const { client, observations } = setUp({
      type: 'text/plain',
      body: 'Failed to check health: no coins on 10.0.0.1',
    });
    expect(await client.debugHealthCheck(null, goingOn)).toEqual({
      ok: false,
      message: 'The sponsor failed its own health check.',
    });
    expect(observations).toMatchObject([
      { what: 'failed-health-check', text: 'Failed to check health: no coins on 10.0.0.1' },
    ]);
  });
});

/** The members of an answer that is read as JSON. */
function toMembers({ type = '', body }: Reply): { readonly effects?: unknown; readonly result?: unknown } {
  try {
    return /json/.test(type) ? Object(JSON.parse(body)) : {};
  } catch {
    return {};
  }
}

describe('whatever the sponsor responds', () => {
  const status = fc.oneof(
    fc.constantFrom(200, 204, 301, 400, 401, 403, 404, 408, 422, 429, 500, 502, 503),
    fc.integer({ min: 100, max: 599 }),
  );
  const envelope = fc.record(
    { effects: fc.jsonValue(), result: fc.jsonValue(), error: fc.oneof(fc.string(), fc.jsonValue()) },
    { requiredKeys: [] },
  );
  const reply: fc.Arbitrary<Reply> = fc.record({
    status,
    type: fc.constantFrom('application/json', 'text/plain', 'text/html', ''),
    body: fc.oneof(
      fc.string(),
      envelope.map((value) => JSON.stringify(value)),
      fc.jsonValue().map((value) => JSON.stringify(value)),
    ),
  });

  it('every call ends in a result or in an error of the catalogue', async () => {
    await fc.assert(
      fc.asyncProperty(reply, fc.constantFrom(...everyCall), async (answer, [, ask]) => {
        const outcome = await ask(setUp(answer).client).catch((error: unknown) => error);
        if (outcome instanceof Error) {
          expect(outcome).toBeInstanceOf(GraphQLError);
          expect((outcome as GraphQLError).extensions.code).toSatisfy(isErrorCode);
        }
      }),
    );
  });

  it('an execution has an unknown outcome unless something rules that out', async () => {
    await fc.assert(
      fc.asyncProperty(reply, async (answer) => {
        const { code } = (await refusalOf(setUp(answer).client.executeTx(execution, null, goingOn))).extensions;
        const { status: answered = 200 } = answer;
        const refused = answered >= 400 && answered < 500 && answered !== 408;
        const { effects = null, result = null } = toMembers(answer);
        const isBare = effects === null && result === null && !answer.body.includes(execution.digest);
        expect(code === 'EXECUTION_OUTCOME_UNKNOWN').toBe(!refused || !isBare);
      }),
    );
  });
});
