import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const readText = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const exampleFiles = readdirSync(new URL('../../../docs/examples', import.meta.url)).filter((name) =>
  name.endsWith('.ts'),
);

/** Documents of the README and the examples. */
const documents = [
  ...[...readText('README.md').matchAll(/^ *```graphql\n(.*?)^ *```/gms)].map(([, text = '']) => text),
  ...exampleFiles.flatMap((name) =>
    [
      ...readText(`docs/examples/${name}`).matchAll(
        /[`']\s*((?:query|mutation|subscription)\b[^`']*\{[^`']+\}\s*)[`']/g,
      ),
    ].map(([, text = '']) => text),
  ),
].filter((text) => !text.includes('${') && !/\.\.\.\s*\w+_/.test(text));

describe.each(['ledger', 'iota', 'sui'])('the embedded network under the profile %s', (profile) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await createTestGateway({ NETWORK_PROFILE: profile });
  });
  afterAll(async () => {
    await gateway?.close();
  });
  const scalar = { ledger: 'LedgerAddress', iota: 'IotaAddress', sui: 'SuiAddress' }[profile] ?? '';
  const versionHeader = `x-${profile}-rpc-version`;

  test('sends and reads that network’s version header', async () => {
    const answer = await gateway.query('{ serviceConfig { availableVersions } }');
    expect(answer.headers.get(versionHeader)).toMatch(/^2026\.11\.0-[0-9a-f]{12}$/);
    expect(answer.headers.get('x-ledger-rpc-version')).toBe(answer.headers.get(versionHeader));
    expect(answer.data.serviceConfig.availableVersions).toEqual(['2026.11']);
    expect((await gateway.query('{ chainIdentifier }', {}, { [versionHeader]: '2026.11' })).status).toBe(200);
    expect((await gateway.query('{ chainIdentifier }', {}, { [versionHeader]: '2020.1' })).status).toBe(421);
    // With both headers, a served version does not excuse one that is not served.
    const both = { 'x-ledger-rpc-version': '2026.11', [versionHeader]: '2020.1' };
    const refused = profile === 'ledger' ? 421 : 400;
    expect((await gateway.query('{ chainIdentifier }', {}, both)).status).toBe(refused);
    const { text } = await gateway.query('{ chainIdentifier }', {}, { [`x-${profile}-rpc-show-usage`]: 'true' });
    expect(JSON.parse(text).extensions.usage).toMatchObject({ inputNodes: 1 });
  });

  test('accepts all documents of the README and the examples', async () => {
    expect(documents.length).toBeGreaterThan(20);
    for (const text of documents) {
      // Scalars of addresses have a name of each network's own. Relay's compiler removes its directive.
      const query = text.replaceAll('LedgerAddress', scalar).replaceAll(/ @connection\(.*?\)/g, '');
      const { data } = await gateway.query('query ($query: String!) { estimate(query: $query) { reasons codes } }', {
        query,
      });
      // Values of variables are not what is tested.
      const invalid =
        data.estimate.codes.includes('GRAPHQL_VALIDATION_FAILED') ||
        data.estimate.codes.includes('GRAPHQL_PARSE_FAILED');
      expect([text, invalid && data.estimate.reasons]).toEqual([text, false]);
    }
  });

  test('answers in the network’s names', async () => {
    const isSui = profile === 'sui';
    const [transactions, type] = isSui
      ? ['transactions', 'contents { type { repr } json }']
      : ['transactionBlocks', 'type { repr } json'];
    const filter = isSui ? '(filter: { type: "0xd0e::greeter" })' : '(filter: { eventType: "0xd0e::greeter" })';
    const { data, errors } = await gateway.query(
      `{ epoch(${isSui ? 'epochId' : 'id'}: 1) { epochId }
        all: events(last: 2) { nodes { sender { address } ${type} } }
        none: events${filter} { nodes { __typename } }
        ${transactions}(last: 1) { nodes { digest kind { __typename } effects { status checkpoint { sequenceNumber } } } } }`,
    );
    expect(errors).toBeUndefined();
    expect(data.epoch).toEqual({ epochId: 1 });
    expect(data.all.nodes).toHaveLength(2);
    expect(JSON.stringify(data.all.nodes)).toMatch(/"repr":"0x[^"]+::\w+/);
    expect(data.none.nodes).toEqual([]);
    const [{ kind, effects }] = data[transactions].nodes;
    expect(kind.__typename).toMatch(isSui ? /^(?!.*Block)\w+Transaction$/ : /^\w+(?:TransactionBlock|Transaction)$/);
    expect(effects).toMatchObject({ status: 'SUCCESS', checkpoint: { sequenceNumber: expect.any(Number) } });
  });

  test('returns the events of a closed time range, including its last millisecond', async () => {
    const within = async (startTime: number, endTime: number) => {
      const { data, errors } = await gateway.query(
        'query ($range: TimeRangeFilter!) { queryEvents(filter: { timeRange: $range }) { nodes { timestampMs } } }',
        { range: { startTime, endTime } },
      );
      expect(errors).toBeUndefined();
      return data.queryEvents.nodes.map((node: { timestampMs: string }) => Number(node.timestampMs)) as number[];
    };
    const { data } = await gateway.query('{ queryEvents(filter: { all: true }, first: 50) { nodes { timestampMs } } }');
    const times = new Set<number>(
      data.queryEvents.nodes.map(({ timestampMs }: { timestampMs: string }) => Number(timestampMs)),
    );
    const [first = 0, second = 0, third = 0] = times;
    expect(new Set(await within(first, second))).toEqual(new Set([first, second]));
    expect(new Set(await within(first, third - 1))).toEqual(new Set([first, second]));
    expect(new Set(await within(second, second))).toEqual(new Set([second]));
  });

  test('reserves, signs and executes', async () => {
    const { data: reserved } = await gateway.query(
      'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasCoins { objectId version digest } } }',
    );
    const { reservationId, sponsorAddress, gasCoins } = reserved.reserveGas;
    const { data: signed } = await gateway.query(
      `query ($sponsor: ${scalar}!, $coins: [DevnetGasCoinInput!]!) { devnetSignTransaction(sponsorAddress: $sponsor, gasCoins: $coins, gasBudget: 5000000) { txBytes userSig digest } }`,
      { sponsor: sponsorAddress, coins: gasCoins },
    );
    const { txBytes, userSig, digest } = signed.devnetSignTransaction;
    const { data: executed } = await gateway.query(
      'mutation ($id: ID!, $tx: Base64!, $sig: Base64!) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig, requestType: WAIT_FOR_LOCAL_EXECUTION) { outcome digest } }',
      { id: reservationId, tx: txBytes, sig: userSig },
    );
    expect(executed.executeTx).toEqual({ outcome: 'EXECUTED', digest });
    const { data: found } = await gateway.query(
      `query ($digest: String!) { found: ${profile === 'sui' ? 'transaction' : 'transactionBlock'}(digest: $digest) { digest } }`,
      { digest },
    );
    expect(found.found).toEqual({ digest });
  });
});
