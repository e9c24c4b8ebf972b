import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GraphqlDevnet, startGraphqlDevnet, toAnswer } from '../../support/start-graphql-devnet.ts';

let net: GraphqlDevnet;

beforeAll(async () => {
  net = await startGraphqlDevnet();
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

const somewhere = expect.arrayContaining([{ line: 1, column: expect.any(Number) }]);

describe('a failed field', () => {
  const userInput = { code: 'BAD_USER_INPUT' };
  const noDigest = '1'.repeat(32);

  test.each([
    [
      'first with last',
      '{ events(first: 1, last: 1) { nodes { bcs } } }',
      "'first' and 'last' must not be used together",
      userInput,
    ],
    [
      'a page over the maximum',
      '{ events(first: 51) { nodes { bcs } } }',
      "Connection's page size of 51 exceeds max of 50",
      userInput,
    ],
    [
      'two event filters',
      '{ events(filter: { emittingModule: "0x2", eventType: "0x2" }) { nodes { bcs } } }',
      'Filtering by both emitting module and event type is not supported',
      userInput,
    ],
    [
      'two complex filters without a scan limit',
      '{ transactionBlocks(filter: { kind: SYSTEM_TX, function: "0x2" }) { nodes { digest } } }',
      'A scan limit must be specified for the given filter combination',
      userInput,
    ],
    [
      'a scan limit over the maximum',
      '{ transactionBlocks(scanLimit: 1000001) { nodes { digest } } }',
      "Scan limit exceeds max limit of '1000000'",
      userInput,
    ],
    ['a type that is none', '{ type(type: "0x2::coin") { repr } }', 'Bad type: Not a Move type: 0x2::coin', userInput],
    [
      'transaction bytes that are not base64',
      '{ dryRunTransactionBlock(txBytes: "?") { error } }',
      /^Unable to deserialize transaction bytes from Base64: /,
      userInput,
    ],
    [
      'transaction bytes that are not BCS',
      '{ dryRunTransactionBlock(txBytes: "AAAA") { error } }',
      /^Unable to deserialize transaction bytes as BCS: /,
      userInput,
    ],
    [
      'an event type that is none',
      '{ events(filter: { eventType: "0x2::a::B<" }) { nodes { bcs } } }',
      'Failed to parse "String": Invalid filter, expected: package[::module[::type[<type_params>]]] or primitive type (occurred while parsing "EventFilter")',
      undefined,
    ],
    [
      'a coin type that is none',
      '{ coins(type: "0x2") { nodes { address } } }',
      'Failed to parse "String": Invalid filter, expected: package::module::type[<type_params>] or primitive type',
      undefined,
    ],
    [
      'a malformed cursor',
      '{ events(after: "=") { nodes { bcs } } }',
      'Failed to parse "String": Invalid symbol 61, offset 0.',
      undefined,
    ],
    [
      'a malformed digest',
      '{ transactionBlock(digest: "0") { digest } }',
      /^Failed to parse "String": Invalid digest: /,
      undefined,
    ],
    [
      'a digest that is too short',
      '{ transactionBlock(digest: "2") { digest } }',
      'Failed to parse "String": Expected digest to be 32 bytes but got 1',
      undefined,
    ],
    [
      'an address without 0x',
      '{ object(address: "12") { digest } }',
      'Failed to parse "LedgerAddress": Invalid LedgerAddress. Missing 0x prefix.',
      undefined,
    ],
    [
      'an address that is too long',
      `{ object(address: "0x${'0'.repeat(65)}") { digest } }`,
      'Failed to parse "LedgerAddress": Expected LedgerAddress string with between 1 and 64 digits (32 bytes), received 65',
      undefined,
    ],
    [
      'an address in other letters',
      '{ object(address: "0x1g") { digest } }',
      'Failed to parse "LedgerAddress": Invalid character \'g\' at position 3',
      undefined,
    ],
    [
      'an address that is a number',
      '{ object(address: 12) { digest } }',
      'Expected input type "LedgerAddress", found 12.',
      undefined,
    ],
    [
      'a UInt53 that is text',
      '{ object(address: "0x1", version: "1") { digest } }',
      'Expected input type "UInt53", found "1".',
      undefined,
    ],
    [
      'a UInt53 that is negative',
      '{ object(address: "0x1", version: -1) { digest } }',
      'Failed to parse "UInt53": Expected an unsigned integer.',
      undefined,
    ],
    [
      'a filter member that cannot be read',
      '{ events(filter: { sender: "12" }) { nodes { bcs } } }',
      'Failed to parse "LedgerAddress": Invalid LedgerAddress. Missing 0x prefix. (occurred while parsing "EventFilter")',
      undefined,
    ],
  ])('says of %s what is wrong, where, and with the right code', async (_, query, message, extensions) => {
    const { status, errors, data, text } = await net.query(query);
    const [field = ''] = /\w+/.exec(query) ?? [];
    expect(status).toBe(200);
    expect(errors).toEqual([
      {
        message: typeof message === 'string' ? message : expect.stringMatching(message),
        locations: [{ line: 1, column: 3 }],
        path: [field],
        ...(extensions && { extensions }),
      },
    ]);
    expect(data === null || data[field] === null).toBe(true);
    expect(text).not.toMatch(/\.ts|node_modules/);
  });

  test('that is nullable leaves the others their data', async () => {
    const { data, errors } = await net.query(
      '{ chainIdentifier object(address: "nothing") { digest } checkpoint { sequenceNumber } }',
    );
    expect(data).toEqual({
      chainIdentifier: net.devnet.ledger.chainIdentifier,
      object: null,
      checkpoint: { sequenceNumber: 59 },
    });
    expect(errors).toHaveLength(1);
    expect(errors![0]!.path).toEqual(['object']);
  });

  test('fails for more transaction ids than allowed', async () => {
    await using small = await startGraphqlDevnet({ limits: { maxTransactionIds: 2 } });
    const query =
      'query ($ids: [String!]) { transactionBlocks(filter: { transactionIds: $ids }) { nodes { digest } } }';
    expect((await small.data(query, { ids: [noDigest, noDigest] })).transactionBlocks.nodes).toEqual([]);
    const { errors } = await small.query(query, { ids: [noDigest, noDigest, noDigest] });
    expect(errors![0]).toMatchObject({ message: "Transaction IDs exceed max limit of '2'", extensions: userInput });
  });
});

describe('an invalid document', () => {
  test.each([
    ['{ nothing }', 'Unknown field "nothing" on type "Query".'],
    ['{ checkpoint { nothing } }', 'Unknown field "nothing" on type "Checkpoint".'],
    ['{ chainIdentifier(zzz: 1) }', 'Unknown argument "zzz" on field "chainIdentifier" of type "Query".'],
    [
      '{ object { digest } }',
      'Field "object" argument "address" of type "LedgerAddress!" is required but not provided',
    ],
    ['query ($x: Int) { chainIdentifier }', 'Variable "$x" is not used'],
    ['query op($x: Int) { chainIdentifier }', 'Variable "$x" is not used by operation "op"'],
    ['{ epoch(id: $x) { epochId } }', 'Variable "$x" is not defined'],
    ['query op { epoch(id: $x) { epochId } }', 'Variable "$x" is not defined by operation "op"'],
    ['{ events(first: -1) { nodes { bcs } } }', 'Invalid value for argument "first", expected type "Int"'],
    ['{ events(first: "1") { nodes { bcs } } }', 'Invalid value for argument "first", expected type "Int"'],
    ['{ events(first: 1.5) { nodes { bcs } } }', 'Invalid value for argument "first", expected type "Int"'],
    [
      '{ events(last: 18446744073709551616) { pageInfo { hasNextPage } } }',
      'Invalid value for argument "last", expected type "Int"',
    ],
    [
      '{ events(filter: { color: 1 }) { nodes { bcs } } }',
      'Invalid value for argument "filter", unknown field "color" of type "EventFilter"',
    ],
    [
      '{ transactionBlocks(filter: { kind: NONE }) { nodes { digest } } }',
      'Invalid value for argument "filter.kind", enumeration type "TransactionBlockKindInput" does not contain the value "NONE"',
    ],
    [
      '{ chainIdentifier { length } }',
      'Field "chainIdentifier" must not have a selection since type "String!" has no subfields',
    ],
    ['{ checkpoint }', 'Field "checkpoint" of type "Checkpoint" must have a selection of subfields'],
  ])('%s is reported', async (query, message) => {
    const { status, data, errors } = await net.query(query);
    expect(status).toBe(200);
    expect(data).toBeNull();
    expect(errors).toContainEqual({ message, locations: somewhere });
  });

  test('reports a variable’s value like a literal', async () => {
    const query = 'query ($n: Int) { events(first: $n) { nodes { bcs } } }';
    for (const n of [-1, '1', 1.5]) {
      const { errors } = await net.query(query, { n });
      expect(errors).toEqual([
        { message: 'Invalid value for argument "first", expected type "Int"', locations: [{ line: 1, column: 26 }] },
      ]);
    }
    expect((await net.data(query, { n: 3 })).events.nodes).toHaveLength(3);
    expect((await net.data(query, { n: null })).events.nodes).toHaveLength(20);
    expect((await net.data(query, {})).events.nodes).toHaveLength(20);
  });

  test('reports a missing variable only if it is required', async () => {
    const query = 'query ($d: String!) { transactionBlock(digest: $d) { digest } }';
    expect((await net.query(query)).errors).toEqual([{ message: 'Variable d is not defined.' }]);
    expect(
      (await net.query('query ($n: Int! = 2) { events(first: $n) { nodes { bcs } } }')).data.events.nodes,
    ).toHaveLength(2);
  });
});

describe('an operation', () => {
  const two = 'query a { chainIdentifier } query b { checkpoint { sequenceNumber } }';
  const post = async (body: object) =>
    toAnswer(await fetch(net.devnet.graphqlUrl, { method: 'POST', body: JSON.stringify(body) }));

  test('is selected by name', async () => {
    expect((await post({ query: two, operationName: 'b' })).data).toEqual({ checkpoint: { sequenceNumber: 59 } });
  });

  test('that the document does not have is unknown', async () => {
    expect((await post({ query: two, operationName: 'c' })).errors).toEqual([
      { message: 'Unknown operation named "c"' },
    ]);
    expect((await post({ query: '{ chainIdentifier }', operationName: '' })).errors).toEqual([
      { message: 'Unknown operation named ""' },
    ]);
  });

  test('must be named if there are several', async () => {
    expect((await post({ query: two })).errors).toEqual([{ message: 'Operation name required in request.' }]);
  });
});

describe('a disabled feature', () => {
  test('is rejected in the document, and listed as disabled', async () => {
    await using bare = await startGraphqlDevnet({ features: ['DYNAMIC_FIELDS'] });
    const { errors } = await bare.query('{ coins { nodes { address } } }');
    expect(errors).toEqual([
      {
        message: 'Cannot query field "coins" on type "Query". Feature "coins" is disabled.',
        locations: [{ line: 1, column: 3 }],
      },
    ]);
    expect(
      await bare.data(
        '{ serviceConfig { enabledFeatures coins: isEnabled(feature: COINS) } owner(address: "0x2") { dynamicFields { nodes { name { json } } } } }',
      ),
    ).toMatchObject({ serviceConfig: { enabledFeatures: ['DYNAMIC_FIELDS'], coins: false } });
  });
});
