import { describe, expect, test } from 'vitest';
import { type SponsorDevnet, startSponsorDevnet, token } from '../../support/start-sponsor-devnet.ts';

const path = '/v1/reserve_gas';
const good = { gas_budget: 50_000_000, reserve_duration_secs: 60 };

async function outcome(response: Response): Promise<[number, unknown]> {
  return [response.status, await response.json()];
}

describe('the plain endpoints', () => {
  test('respond without a token, as text', async () => {
    await using sponsor = await startSponsorDevnet();
    const health = await fetch(sponsor.url);
    expect([health.status, health.headers.get('content-type'), await health.text()]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'OK',
    ]);
    const version = await fetch(`${sponsor.url}/version`);
    expect(await version.text()).toMatch(/^0\.3\.0-[0-9a-f]{12}$/);
  });

  test('accept no other paths and methods', async () => {
    await using sponsor = await startSponsorDevnet();
    const unknown = await fetch(`${sponsor.url}/health`);
    expect([unknown.status, await unknown.text()]).toEqual([404, '']);
    const wrongMethod = await fetch(`${sponsor.url}${path}`);
    expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('reserving gas', () => {
  test('returns coins that cover the budget', async () => {
    await using sponsor = await startSponsorDevnet();
    const response = await sponsor.post(path, { gas_budget: 150_000_000, reserve_duration_secs: 60 });
    const [status, body] = await outcome(response);
    const { ledger, accounts } = sponsor.devnet;
    const coins = (body as { result: { gas_coins: { objectId: string }[] } }).result.gas_coins;
    expect(status).toBe(200);
    expect(body).toEqual({
      result: {
        sponsor_address: accounts.sponsor.address,
        reservation_id: 1,
        gas_coins: coins.map(({ objectId }) => {
          const { version, digest } = ledger.currentObject(objectId)!;
          return { objectId, version, digest };
        }),
      },
      error: null,
    });
    expect(coins).toHaveLength(2);
    expect(sponsor.face.freeCoins()).toBe(2);
  });

  test('numbers reservations in sequence and reserves no coin twice', async () => {
    await using sponsor = await startSponsorDevnet();
    const all = [await sponsor.reserve(), await sponsor.reserve(), await sponsor.reserve(), await sponsor.reserve()];
    expect(all.map(({ reservation_id }) => reservation_id)).toEqual([1, 2, 3, 4]);
    expect(new Set(all.flatMap(({ gas_coins }) => gas_coins.map(({ objectId }) => objectId))).size).toBe(4);
  });

  test.each([
    ['a budget of nothing', { gas_budget: 0 }, 'Gas budget must be positive'],
    ['a budget over the limit', { gas_budget: 2_000_000_001 }, 'Gas budget must be less than 2000000000'],
    ['a budget beyond 2^53', { gas_budget: 2 ** 60 }, 'Gas budget must be less than 2000000000'],
    ['no duration', { reserve_duration_secs: 0 }, 'Reserve duration must be positive'],
    ['a duration over the limit', { reserve_duration_secs: 601 }, 'Reserve duration must be less than 600 seconds'],
  ])('rejects %s', async (_what, change, error) => {
    await using sponsor = await startSponsorDevnet();
    expect(await outcome(await sponsor.post(path, { ...good, ...change }))).toEqual([400, { result: null, error }]);
  });

  test('accepts exactly the limits', async () => {
    await using sponsor = await startSponsorDevnet({ genesis: { sponsorCoins: 20 } });
    const response = await sponsor.post(path, { gas_budget: 2_000_000_000, reserve_duration_secs: 600 });
    expect(response.status).toBe(200);
  });

  test('fails if the free coins do not suffice', async () => {
    await using sponsor = await startSponsorDevnet();
    await sponsor.reserve(350_000_000);
    expect(await outcome(await sponsor.post(path, good))).toEqual([
      500,
      { result: null, error: 'Unable to reserve gas coins for the given budget.' },
    ]);
    expect(sponsor.face.freeCoins()).toBe(0);
  });

  test('fails if it would take more than 256 coins, and reserves none', async () => {
    await using sponsor = await startSponsorDevnet({ genesis: { sponsorCoins: 257, sponsorCoinBalance: 1000n } });
    expect(await outcome(await sponsor.post(path, { ...good, gas_budget: 256_001 }))).toEqual([
      500,
      { result: null, error: 'Unable to reserve gas coins for the given budget.' },
    ]);
    expect(sponsor.face.freeCoins()).toBe(257);
    expect((await sponsor.post(path, { ...good, gas_budget: 256_000 })).status).toBe(200);
  });

  test('fails in maintenance', async () => {
    await using sponsor = await startSponsorDevnet();
    sponsor.face.setMaintenance(true);
    expect(await outcome(await sponsor.post(path, good))).toEqual([
      503,
      { result: null, error: 'Gas station is in maintenance mode. Please try again later.' },
    ]);
    sponsor.face.setMaintenance(false);
    expect((await sponsor.post(path, good)).status).toBe(200);
  });

  test('fails for the rest of the day once the cap is reached', async () => {
    await using sponsor = await startSponsorDevnet({ dailyGasCap: 1n });
    const reserved = await sponsor.reserve();
    expect((await sponsor.post('/v1/execute_tx', sponsor.signed(reserved))).status).toBe(200);
    expect(await outcome(await sponsor.post(path, good))).toEqual([
      500,
      { result: null, error: 'Gas usage exceeds daily cap' },
    ]);
    sponsor.devnet.now += 86_400_000;
    expect((await sponsor.post(path, good)).status).toBe(200);
  });

  test('frees coins at expiry', async () => {
    await using sponsor = await startSponsorDevnet();
    await sponsor.reserve(350_000_000, 10);
    sponsor.devnet.now += 9_999;
    expect(sponsor.face.freeCoins()).toBe(0);
    sponsor.devnet.now += 1;
    expect(sponsor.face.freeCoins()).toBe(4);
  });
});

describe('the body is checked before the token', () => {
  const text = async (response: Response) => [
    response.status,
    response.headers.get('content-type'),
    await response.text(),
  ];
  const plain = 'text/plain; charset=utf-8';
  const send = (sponsor: SponsorDevnet, body: string, contentType = 'application/json') =>
    fetch(`${sponsor.url}${path}`, { method: 'POST', headers: { 'content-type': contentType }, body });

  test.each([
    ['not JSON', 'gas please', 400, 'Failed to parse the request body as JSON'],
    ['a missing field', '{"gas_budget":1}', 422, 'missing field `reserve_duration_secs`'],
    [
      'a number as text',
      '{"gas_budget":"1","reserve_duration_secs":1}',
      422,
      'gas_budget: invalid type: string, expected u64',
    ],
    [
      'a negative number',
      '{"gas_budget":-1,"reserve_duration_secs":1}',
      422,
      'gas_budget: invalid value: integer `-1`',
    ],
    [
      'a fraction',
      '{"gas_budget":1.0,"reserve_duration_secs":1}',
      422,
      'gas_budget: invalid type: floating point `1.0`',
    ],
    ['null', '{"gas_budget":null,"reserve_duration_secs":1}', 422, 'gas_budget: invalid type: null'],
    ['more than 64 bits', '{"gas_budget":18446744073709551616,"reserve_duration_secs":1}', 422, 'invalid value'],
    ['a list', '[]', 422, 'invalid type: sequence'],
  ])('%s gets a plain-text error', async (_what, body, status, part) => {
    await using sponsor = await startSponsorDevnet();
    const [got, type, message] = await text(await send(sponsor, body));
    expect([got, type]).toEqual([status, plain]);
    expect(message).toContain(part);
  });

  test('so is a body of another type', async () => {
    await using sponsor = await startSponsorDevnet();
    expect(await text(await send(sponsor, JSON.stringify(good), 'text/plain'))).toEqual([
      415,
      plain,
      'Expected request with `Content-Type: application/json`',
    ]);
  });

  test('and one over 2 MB', async () => {
    await using sponsor = await startSponsorDevnet();
    const body = JSON.stringify({ ...good, padding: 'x'.repeat(2 * 1024 * 1024) });
    expect(await text(await send(sponsor, body))).toEqual([
      413,
      plain,
      'Failed to buffer the request body: length limit exceeded',
    ]);
  });

  test('unknown members are ignored', async () => {
    await using sponsor = await startSponsorDevnet();
    expect((await sponsor.post(path, { ...good, more: [1] })).status).toBe(200);
  });

  test.each([
    ['no token', {}],
    ['a wrong one', { authorization: 'Bearer wrong' }],
    ['another scheme', { authorization: `Basic ${token}` }],
  ])('with a valid body, %s is rejected', async (_what, headers: Record<string, string>) => {
    await using sponsor = await startSponsorDevnet();
    expect(await outcome(await sponsor.post(path, good, headers))).toEqual([
      401,
      { result: null, error: 'Authorization token is required or invalid' },
    ]);
    expect(sponsor.face.freeCoins()).toBe(4);
  });

  test('a sponsor without a token accepts every caller', async () => {
    await using sponsor = await startSponsorDevnet({ token: null });
    expect((await sponsor.post(path, good, {})).status).toBe(200);
  });
});

describe('the deep health check', () => {
  const check = (sponsor: SponsorDevnet, bearer: string) =>
    fetch(`${sponsor.url}/debug_health_check`, { method: 'POST', headers: { authorization: `Bearer ${bearer}` } });

  test('returns OK and really reserves for three seconds', async () => {
    await using sponsor = await startSponsorDevnet();
    const response = await check(sponsor, token);
    expect([response.status, await response.text()]).toEqual([200, 'OK']);
    expect(sponsor.face.freeCoins()).toBe(3);
    sponsor.devnet.now += 3_000;
    expect(sponsor.face.freeCoins()).toBe(4);
  });

  test('returns 200 for a wrong token too', async () => {
    await using sponsor = await startSponsorDevnet();
    const response = await check(sponsor, 'wrong');
    expect([response.status, await response.text()]).toEqual([200, 'Unauthorized']);
  });

  test('and for an empty pool', async () => {
    await using sponsor = await startSponsorDevnet({ genesis: { sponsorCoins: 0 } });
    const response = await check(sponsor, token);
    expect([response.status, await response.text()]).toEqual([
      200,
      'Failed to check health: Unable to reserve gas coins for the given budget.',
    ]);
  });
});

describe('reloading the access controller', () => {
  const reload = (sponsor: SponsorDevnet, bearer: string) =>
    fetch(`${sponsor.url}/v1/reload_access_controller`, { headers: { authorization: `Bearer ${bearer}` } });

  test('returns one key', async () => {
    await using sponsor = await startSponsorDevnet();
    expect(await outcome(await reload(sponsor, token))).toEqual([200, { result: 'success' }]);
  });

  test('rejects a wrong token', async () => {
    await using sponsor = await startSponsorDevnet();
    expect(await outcome(await reload(sponsor, 'wrong'))).toEqual([403, { error: 'Invalid authorization token' }]);
  });

  test('fails if the configuration cannot be read', async () => {
    await using sponsor = await startSponsorDevnet();
    sponsor.face.access.breakConfiguration(true);
    expect(await outcome(await reload(sponsor, token))).toEqual([500, { error: 'Failed to load config file' }]);
  });
});
