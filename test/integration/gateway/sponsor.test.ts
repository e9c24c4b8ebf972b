import { describe, expect, it } from 'vitest';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import { type ScriptedAnswer, startScriptedSponsor } from '../../support/scripted-sponsor.ts';
import { sponsorEffects } from '../../support/sponsor-effects.ts';
import { createSponsorGraph, firstError, type SponsorGraphOptions } from '../../support/sponsor-graph.ts';

const token = 's3cr3t-t0ken-of-the-sponsor';
/** Of the three zero bytes of "AAAA". */
const digest = 'AsWWT89kJHbo64xjtscp9E5zExV9CuMgQf4jNbxiDZ9s';

type SetUp = Partial<SponsorGraphOptions>;

/** The sponsor part of the graph, and the scripted sponsor behind it. */
async function setUp(options: SetUp = {}) {
  const sponsor = await startScriptedSponsor();
  const graph = createSponsorGraph({ origin: sponsor.origin, token, ...options });
  const id = await graph.lease('42');
  return {
    ...graph,
    id,
    /** Executes with the coins of the sponsor's reservation 42. */
    execute: executeBy(id),
    sponsor,
    async [Symbol.asyncDispose]() {
      await graph[Symbol.asyncDispose]();
      await sponsor[Symbol.asyncDispose]();
    },
  };
}

const reserve =
  'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId gasCoins { objectId version digest } } }';
const executeBy = (id: string) =>
  `mutation { executeTx(reservationId: "${id}", txBytes: "AAAA", userSig: "BBBB") { digest outcome } }`;

const json = (value: unknown, status = 200): ScriptedAnswer => ({ status, body: JSON.stringify(value) });
const text = (body: string, status = 200): ScriptedAnswer => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body,
});

describe('health and version', () => {
  it.each([
    ['as JSON strings', json('OK'), json('0.3.0-1a2b3c4d5e6f')],
    ['as bare text', text('OK'), text('0.3.0-1a2b3c4d5e6f')],
  ])('are read %s, with the gateway’s token', async (_, health, version) => {
    await using gateway = await setUp();
    gateway.sponsor.answer('/', health);
    gateway.sponsor.answer('/version', version);
    const { data } = await gateway.ask('{ sponsor { health version { semver buildHash } } }');
    expect(data).toEqual({ sponsor: { health: 'OK', version: { semver: '0.3.0', buildHash: '1a2b3c4d5e6f' } } });
    expect(gateway.sponsor.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${token}`,
      `Bearer ${token}`,
    ]);
  });

  it('fail alone', async () => {
    await using gateway = await setUp();
    gateway.sponsor.answer('/', text('<html>Bad gateway</html>', 502));
    gateway.sponsor.answer('/version', json('0.3.0-1a2b3c4d5e6f'));
    const result = await gateway.ask('{ sponsor { health version { raw } } }');
    expect(result.data).toEqual({ sponsor: { health: null, version: { raw: '0.3.0-1a2b3c4d5e6f' } } });
    expect(firstError(result)).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', upstream: 'sponsor' });
  });

  it('are cancelled when the client disconnects', async () => {
    await using gateway = await setUp();
    gateway.sponsor.answer('/', 'silence');
    const caller = createCancellation();
    const arrived = gateway.sponsor.nextRequest();
    const asked = gateway.ask('{ sponsor { health } }', { cancellation: caller });
    await arrived;
    caller.cancel('aborted');
    expect(firstError(await asked)).toMatchObject({ code: 'REQUEST_TIMEOUT' });
  });
});

describe('reserveGas', () => {
  it('reserves once and keeps every number exact', async () => {
    await using gateway = await setUp();
    gateway.sponsor.answer('/v1/reserve_gas', {
      body: '{"result":{"sponsor_address":"0x5","reservation_id":9007199254740993,"gas_coins":[{"objectId":"0xc01","version":7,"digest":"D0"}]},"error":null}',
    });
    const { data } = await gateway.ask(reserve);
    const gasCoins = [{ objectId: '0xc01', version: 7, digest: 'D0' }];
    expect(data).toEqual({ reserveGas: { reservationId: expect.stringMatching(/^[\w-]{100,512}$/), gasCoins } });
    expect(gateway.sponsor.requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/reserve_gas',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: '{"gas_budget":5000000,"reserve_duration_secs":60}',
      },
    ]);
  });

  it('returns an id that its caller can execute with, and the sponsor’s exact number', async () => {
    await using gateway = await setUp();
    gateway.sponsor.answer('/v1/reserve_gas', {
      body: '{"result":{"sponsor_address":"0x5","reservation_id":9007199254740993,"gas_coins":[]},"error":null}',
    });
    gateway.sponsor.answer('/v1/execute_tx', json({ effects: sponsorEffects(digest), error: null }));
    const { data } = await gateway.ask(reserve);
    const { reservationId } = (data as { reserveGas: { reservationId: string } }).reserveGas;
    expect((await gateway.ask(executeBy(reservationId))).errors).toBeUndefined();
    expect(gateway.sponsor.requests[1]?.body).toContain('{"reservation_id":9007199254740993,');
  });

  it.each([
    ['a number beyond a u64', { reservation_id: '18446744073709551616' }],
    ['an address that is a page of text', { sponsor_address: 'x'.repeat(300) }],
  ])('treats a response with %s as invalid', async (_, odd) => {
    await using gateway = await setUp();
    const result = { sponsor_address: '0x5', reservation_id: 1, gas_coins: [], ...odd };
    gateway.sponsor.answer('/v1/reserve_gas', json({ result, error: null }));
    expect(firstError(await gateway.ask(reserve))).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE' });
  });

  it.each([
    ['silence', { mutationMs: 1_000 }, 'silence', 'UPSTREAM_TIMEOUT'],
    ['a connection closed without a word', {}, 'hang-up', 'UPSTREAM_UNAVAILABLE'],
    ['an answer broken off', {}, 'break-off', 'UPSTREAM_UNAVAILABLE'],
    ['an answer too large', { maxResponseBytes: 10 }, json({ result: 'x'.repeat(100) }), 'UPSTREAM_BAD_RESPONSE'],
    ['something else entirely', {}, json({ result: 'x' }), 'UPSTREAM_BAD_RESPONSE'],
  ] as [string, SetUp, ScriptedAnswer, string][])(
    'after %s says that coins may be locked, and does not ask again',
    async (_, options, answer, code) => {
      await using gateway = await setUp(options);
      gateway.sponsor.answer('/v1/reserve_gas', answer);
      const error = firstError(await gateway.ask(reserve));
      expect(error).toMatchObject({ code, upstream: 'sponsor', message: expect.stringContaining('stay locked') });
      expect(gateway.sponsor.requests).toHaveLength(1);
    },
  );

  it('reports an unreachable sponsor if nothing listens', async () => {
    const gone = await startScriptedSponsor();
    await gone[Symbol.asyncDispose]();
    await using gateway = await setUp({ origin: gone.origin });
    const error = firstError(await gateway.ask(reserve));
    expect(error).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', upstream: 'sponsor' });
    expect(error.message).not.toMatch(/locked|127\.0\.0\.1/);
  });
});

describe('in forward mode', () => {
  it.each(['Bearer of-the-caller', null])('forwards the caller’s header %j to the sponsor', async (authorization) => {
    await using gateway = await setUp({ auth: 'forward' });
    gateway.sponsor.answer('/v1/reserve_gas', json({ error: 'Invalid authorization token' }, 401));
    const result = await gateway.ask(reserve, { authorization });
    expect(gateway.sponsor.requests[0]?.headers.authorization).toBe(authorization ?? undefined);
    expect(firstError(result)).toEqual({
      message: 'Invalid authorization token',
      code: 'SPONSOR_UNAUTHORIZED',
      retry: 'never',
      upstream: 'sponsor',
    });
  });
});

describe('executeTx', () => {
  it('executes once', async () => {
    await using gateway = await setUp();
    gateway.sponsor.answer('/v1/execute_tx', json({ effects: sponsorEffects(digest), error: null }));
    expect((await gateway.ask(gateway.execute)).data).toEqual({ executeTx: { digest, outcome: 'EXECUTED' } });
    expect(gateway.sponsor.requests.map(({ body }) => body)).toEqual([
      '{"reservation_id":42,"tx_bytes":"AAAA","user_sig":"BBBB","requestType":"waitForEffectsCert"}',
    ]);
  });

  it.each([
    ['silence', { mutationMs: 1_000 }, 'silence'],
    ['a connection closed without a word', {}, 'hang-up'],
    ['an answer broken off', {}, 'break-off'],
    ['an answer too large', { maxResponseBytes: 100 }, json({ effects: sponsorEffects(digest) })],
    ['success that is no JSON', {}, { contentType: 'application/json', body: '{"effects":' }],
    ['the effects of another transaction', {}, json({ effects: sponsorEffects('OTHER'), error: null })],
    ['an error nobody knows', {}, json({ effects: null, error: 'quorum of 10.0.0.1 timed out' }, 500)],
    ['a proxy’s page', {}, text('<html>504</html>', 504)],
  ] as [string, SetUp, ScriptedAnswer][])(
    'after %s is of unknown outcome, and is not sent again',
    async (_, options, answer) => {
      await using gateway = await setUp(options);
      gateway.sponsor.answer('/v1/execute_tx', answer);
      const result = await gateway.ask(gateway.execute);
      expect(result.data).toEqual({ executeTx: null });
      expect(firstError(result)).toEqual({
        message: expect.stringContaining('may or may not execute'),
        code: 'EXECUTION_OUTCOME_UNKNOWN',
        retry: 'look-up',
        upstream: 'sponsor',
        digest,
        reservationId: gateway.id,
        checkAfterMs: 5_000,
      });
      expect(gateway.sponsor.requests).toHaveLength(1);
    },
  );

  it('that was not sent has no unknown outcome', async () => {
    const gone = await startScriptedSponsor();
    await gone[Symbol.asyncDispose]();
    await using gateway = await setUp({ origin: gone.origin });
    expect(firstError(await gateway.ask(gateway.execute))).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      message: expect.stringContaining('the reservation is unused'),
    });
  });

  it('continues when the client disconnects', async () => {
    await using gateway = await setUp();
    let release = (_: ScriptedAnswer): void => {};
    gateway.sponsor.answer('/v1/execute_tx', new Promise<ScriptedAnswer>((resolve) => (release = resolve)));
    const caller = createCancellation();
    const arrived = gateway.sponsor.nextRequest();
    const asked = gateway.ask(gateway.execute, { cancellation: caller });
    await arrived;
    caller.cancel('aborted');
    release(json({ effects: sponsorEffects(digest), error: null }));
    expect((await asked).data).toEqual({ executeTx: { digest, outcome: 'EXECUTED' } });
  });

  it('keeps the sponsor’s message of a known rejection', async () => {
    await using gateway = await setUp();
    gateway.sponsor.answer('/v1/execute_tx', json({ effects: null, error: 'Access denied by access controller' }, 403));
    expect(firstError(await gateway.ask(gateway.execute))).toEqual({
      message: 'Access denied by access controller',
      code: 'SPONSOR_FORBIDDEN',
      retry: 'never',
      upstream: 'sponsor',
      digest,
      reservationId: gateway.id,
    });
  });
});

describe('the admin mutations', () => {
  it('call their endpoints', async () => {
    await using gateway = await setUp();
    gateway.sponsor.answer('/debug_health_check', text('OK'));
    gateway.sponsor.answer('/v1/reload_access_controller', json({ result: 'success' }));
    const { data } = await gateway.ask(
      'mutation { checkSponsorHealth { ok message } reloadAccessController { result } }',
    );
    expect(data).toEqual({
      checkSponsorHealth: { ok: true, message: 'OK' },
      reloadAccessController: { result: 'success' },
    });
    expect(gateway.sponsor.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /debug_health_check',
      'GET /v1/reload_access_controller',
    ]);
  });

  it('report a wrong token, under 200 as under 403', async () => {
    await using gateway = await setUp();
    gateway.sponsor.answer('/debug_health_check', text('Unauthorized'));
    gateway.sponsor.answer('/v1/reload_access_controller', json({ error: 'Invalid authorization token' }, 403));
    const { errors } = await gateway.ask('mutation { checkSponsorHealth { ok } reloadAccessController { result } }');
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['SPONSOR_UNAUTHORIZED', 'SPONSOR_UNAUTHORIZED']);
  });
});

describe('the token', () => {
  it.each([
    ['a refusal', json({ error: `Bearer ${token} is not valid` }, 400)],
    ['an unknown error', json({ error: `redis://pool:pw@10.0.0.1 does not know ${token}` }, 500)],
    ['a page', text(`<html>${token}</html>`)],
  ])('is redacted when the sponsor echoes it in %s', async (_, answer) => {
    await using gateway = await setUp();
    for (const path of ['/', '/version', '/debug_health_check', '/v1/reserve_gas', '/v1/execute_tx']) {
      gateway.sponsor.answer(path, answer);
    }
    const results = [
      await gateway.ask('{ sponsor { health version { raw } } }'),
      await gateway.ask(reserve),
      await gateway.ask(gateway.execute),
      await gateway.ask('mutation { checkSponsorHealth { ok message } reloadAccessController { result } }'),
    ];
    const shown = JSON.stringify([results, gateway.observations]);
    expect(results.every(({ errors }) => errors?.length)).toBe(true);
    expect(shown).not.toContain(token);
    expect(shown).not.toContain('pool:pw');
  });
});
