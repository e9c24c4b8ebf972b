import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { type ScriptedSponsor, startScriptedSponsor } from '../../support/scripted-sponsor.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const typeDefs = 'type Query { chainIdentifier: String! epoch(id: Int): Epoch } type Epoch { epochId: Int! }';
const resolvers = {
  Query: { chainIdentifier: () => '4c78adac', epoch: (_: unknown, { id }: { id?: number }) => ({ epochId: id ?? 7 }) },
};

let ledger: ScriptedLedger;
let sponsor: ScriptedSponsor;
let gateway: TestGateway;
let env: Record<string, string>;

beforeAll(async () => {
  [ledger, sponsor] = await Promise.all([startScriptedLedger(typeDefs, resolvers), startScriptedSponsor()]);
  sponsor.answer('/', { body: '"OK"' });
  env = { LEDGER_GRAPHQL_URL: ledger.url, SPONSOR_URL: sponsor.origin, SPONSOR_AUTH: 'forward' };
  gateway = await createTestGateway(env);
});
afterEach(() => {
  ledger.override = undefined;
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([ledger?.close(), sponsor?.[Symbol.asyncDispose]()]);
});

const lanes = (at = gateway) => at.log.filter(({ msg }) => msg === 'request').map(({ lane }) => lane === true);

/** Sends the same operation to Yoga, by a query string, and then to the lane. */
async function known(query: string, variables?: object, headers?: Record<string, string>, at = gateway) {
  const before = lanes(at).length;
  const response = await fetch(`${at.url}/graphql?by=yoga`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const first = { status: response.status, text: await response.text() };
  const second = await at.query(query, variables, headers);
  await expect.poll(() => lanes(at).length).toBe(before + 2);
  return { first, second, lane: lanes(at).at(-1) };
}

describe('a split operation', () => {
  it.each([
    ['the ledger first', '{ chainIdentifier e: epoch { epochId } sponsor { health } }'],
    ['our own first', '{ __typename s: sponsor { health } chainIdentifier }'],
    ['both mixed', '{ chainIdentifier sponsor { health } epoch { epochId } }'],
  ])('is served by the lane, with its keys in order: %s', async (_, query) => {
    const { first, second, lane } = await known(query);
    expect(lane).toBe(true);
    expect(second.text).toBe(first.text);
    expect(second.errors).toBeUndefined();
  });

  it('shows its usage, whichever part arrives first', async () => {
    const asking = { 'x-ledger-rpc-show-usage': 'true' };
    for (const query of ['{ chainIdentifier s: sponsor { health } }', '{ s: sponsor { health } chainIdentifier }']) {
      const { first, second, lane } = await known(query, {}, asking);
      expect(lane).toBe(true);
      expect(JSON.parse(second.text).extensions.usage).toMatchObject({ inputNodes: 3 });
      expect(second.text).toBe(first.text);
    }
  });

  it('sends each part its own variables', async () => {
    const query = 'query ($id: Int) { epoch(id: $id) { epochId } sponsor { health } }';
    const { second, lane } = await known(query, { id: 12, other: 1 });
    expect(lane).toBe(true);
    expect(second.data).toEqual({ epoch: { epochId: 12 }, sponsor: { health: 'OK' } });
    expect(ledger.requests.at(-1)?.variables).toEqual({ id: 12 });
  });

  it("forwards the ledger's text unchanged", async () => {
    ledger.override = (query) =>
      query.includes('chainIdentifier')
        ? { status: 200, body: '{"data":{"chainIdentifier" : "\\u0041b" \n}\n}\n' }
        : undefined;
    const { first, second } = await known('{ chainIdentifier sponsor { health } } # as it stands');
    expect(second.text).toContain('"chainIdentifier" : "\\u0041b"');
    expect(JSON.parse(second.text)).toEqual(JSON.parse(first.text));
  });

  it.each([
    ['fails as a whole', { status: 200, body: '{"data":null,"errors":[{"message":"no","path":["chainIdentifier"]}]}' }],
    ['is busy', { status: 503, body: 'later' }],
    ['answers half', { status: 200, body: '{"data":{"chainIdentifier":"x"' }],
    [
      'has errors beside data',
      { status: 200, body: '{"data":{"epoch":null},"errors":[{"message":"x","path":["epoch"]}]}' },
    ],
  ])('responds as Yoga would when the ledger %s', async (what, answer) => {
    ledger.override = () => answer;
    const field = what === 'has errors beside data' ? 'epoch { epochId }' : 'chainIdentifier';
    const { first, second, lane } = await known(`{ ${field} sponsor { health } } # ${what}`);
    expect(second.errors?.length).toBeGreaterThan(0);
    expect(second.text).toBe(first.text);
    expect(second.status).toBe(first.status);
    expect(lane).toBe(true);
  });

  it("answers the gateway's own fields when the ledger rejects its part without executing it", async () => {
    ledger.override = () => ({ status: 200, body: '{"errors":[{"message":"no"}]}' });
    const { first, second, lane } = await known('{ epoch { epochId } sponsor { health } } # rejected');
    expect(lane).toBe(true);
    expect(second.data).toEqual({ epoch: null, sponsor: { health: 'OK' } });
    expect(second.text).toBe(first.text);
  });

  it('has the errors of both parts', async () => {
    ledger.override = () => ({ status: 200, body: '{"errors":[{"message":"no"}]}' });
    sponsor.answer('/version', { status: 503, body: 'later' });
    const { first, second, lane } = await known('{ epoch { epochId } sponsor { version { raw } } } # both fail');
    expect(lane).toBe(true);
    expect(second.errors?.map(({ path }) => path)).toEqual([['sponsor', 'version'], undefined]);
    expect(second.text).toBe(first.text);
  });

  it('responds as Yoga would when the ledger hangs', async () => {
    await using hasty = await createTestGateway({ ...env, REQUEST_TIMEOUT_MS: '1000' });
    ledger.override = () => 'hang';
    const { first, second } = await known('{ epoch { epochId } sponsor { health } } # hangs', {}, {}, hasty);
    expect(second.data).toEqual({ epoch: null, sponsor: { health: 'OK' } });
    expect(second.text).toBe(first.text);
  });
});
