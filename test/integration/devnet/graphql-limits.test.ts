import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GraphqlDevnet, startGraphqlDevnet } from '../../support/start-graphql-devnet.ts';

let net: GraphqlDevnet;

beforeAll(async () => {
  net = await startGraphqlDevnet();
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

const showUsage = { 'x-ledger-rpc-show-usage': 'true' };
const userInput = { code: 'BAD_USER_INPUT' };

const usageOf = async (query: string, variables?: object) =>
  (await net.query(query, variables, showUsage)).extensions?.usage;

describe('usage', () => {
  test.each([
    ['{transactionBlocks(first:20){pageInfo{hasPreviousPage}}}', 3, 3, 3],
    ['{transactionBlocks{edges{node{digest}}}}', 4, 42, 4],
    ['{checkpoints{nodes{transactionBlocks{edges{txn:node{digest}}}}}}', 6, 842, 6],
    [
      '{checkpoints{nodes{transactionBlocks{edges{txn:node{digest}}}}}transactionBlocks(first:1){edges{node{digest}}}}',
      10,
      846,
      6,
    ],
    [
      '{checkpoints{nodes{a:transactionBlocks{edges{txn:node{digest}}}b:transactionBlocks(first:1){edges{txn:node{digest}}}}}}',
      10,
      922,
      6,
    ],
    [
      '{checkpoints{nodes{a:transactionBlocks{edges{txn:node{digest}}}b:transactionBlocks(first:0){edges{txn:node{digest}}}}}}',
      10,
      882,
      6,
    ],
    ['{transactionBlocks(first:1){edges{node{digest}}}}', 4, 4, 4],
    ['{transactionBlocks(last:1){edges{node{digest}}}}', 4, 4, 4],
    ['{epoch{referenceGasPrice}}', 2, 2, 2],
  ])('of %s', async (query, inputNodes, outputNodes, depth) => {
    expect(await usageOf(query)).toEqual({
      inputNodes,
      outputNodes,
      depth,
      variables: 0,
      fragments: 0,
      queryPayload: Buffer.byteLength(query),
    });
  });

  test('counts a spread with its body, and an inline fragment, as levels and nodes of input, not of output', async () => {
    const query =
      '{transactionBlocks{...page}}fragment page on TransactionBlockConnection{...on TransactionBlockConnection{nodes{digest sender{address}}}}';
    expect(await usageOf(query)).toMatchObject({ inputNodes: 7, outputNodes: 82 - 20, depth: 6, fragments: 1 });
  });

  test('counts the larger of first and last, beside their error', async () => {
    const { errors, extensions } = await net.query(
      '{transactionBlocks(first:20 last:30){edges{node{digest}}}}',
      undefined,
      showUsage,
    );
    expect(extensions!.usage).toMatchObject({ inputNodes: 4, outputNodes: 62, depth: 4 });
    expect(errors![0]!.message).toBe("'first' and 'last' must not be used together");
  });

  test('counts the default page size for an overflowing size, beside the argument error', async () => {
    const { errors, extensions } = await net.query(
      '{transactionBlocks(first:36893488147419103000){edges{node{digest}}}}',
      undefined,
      showUsage,
    );
    expect(extensions!.usage).toMatchObject({ inputNodes: 4, outputNodes: 42, depth: 4 });
    expect(errors![0]!.message).toBe('Invalid value for argument "first", expected type "Int"');
  });

  test('takes page sizes from the variables sent, not from their defaults', async () => {
    const query = 'query($n:Int=5){transactionBlocks(first:$n){nodes{digest}}}';
    expect(await usageOf(query, { n: 2 })).toMatchObject({ outputNodes: 4, variables: 1 });
    expect(await usageOf(query)).toMatchObject({ outputNodes: 22, variables: 0 });
    expect(await usageOf(query, { n: null, other: 1 })).toMatchObject({ outputNodes: 22, variables: 2 });
  });

  test('adds up all operations of a document', async () => {
    const query = 'query a{chainIdentifier} query b{checkpoint{epoch{epochId}}}';
    const response = await fetch(net.devnet.graphqlUrl, {
      method: 'POST',
      headers: showUsage,
      body: JSON.stringify({ query, operationName: 'a' }),
    });
    expect(((await response.json()) as { extensions: object }).extensions).toEqual({
      usage: { inputNodes: 4, outputNodes: 4, depth: 3, variables: 0, fragments: 0, queryPayload: query.length },
    });
  });

  test('is shown if its header is present, with any value', async () => {
    for (const value of ['true', 'false', '0', '']) {
      const { extensions } = await net.query('{ chainIdentifier }', undefined, { 'x-ledger-rpc-show-usage': value });
      expect(extensions?.usage, JSON.stringify(value)).toMatchObject({ inputNodes: 1 });
    }
    expect((await net.query('{ chainIdentifier }')).extensions).toBeUndefined();
  });

  test('is sent with validation and execution errors, not with limit errors, bad syntax or introspection alone', async () => {
    expect(await usageOf('{ nothing }')).toMatchObject({ inputNodes: 1 });
    expect(await usageOf('{ object(address: "x") { digest } }')).toMatchObject({ inputNodes: 2 });
    expect(await usageOf('{ __typename __schema { queryType { name } } }')).toMatchObject({ inputNodes: 4 });
    expect(await usageOf('{ __schema { queryType { name } } }')).toBeUndefined();
    expect(await usageOf('{ chainIdentifier')).toBeUndefined();
    expect(await usageOf(nested(21))).toBeUndefined();
  });
});

/** A document of exactly so many levels, inline fragments all but the last. */
const nested = (depth: number) => `${'{ ... '.repeat(depth - 1)}{ chainIdentifier }${' }'.repeat(depth - 1)}`;

/** The same of fields. */
const nestedFields = (depth: number) => {
  const names = Array.from(
    { length: depth - 1 },
    (_, level) => ['checkpoint', 'epoch', 'checkpoints(first: 1)', 'nodes'][level && ((level - 1) % 3) + 1],
  );
  return `${names.map((name) => `{ ${name} `).join('')}{ __typename }${' }'.repeat(depth - 1)}`;
};

/** A document of exactly so many nodes. */
const wide = (nodes: number) => `{ ${Array.from({ length: nodes }, () => '__typename').join(' ')} }`;

/** The selections of a document behind so many others. */
const beside = (nodes: number, document: string) => `${wide(nodes).slice(0, -2)} ${document.slice(2)}`;

/** A document of exactly so many bytes. */
const long = (bytes: number) => '{ chainIdentifier }'.padEnd(bytes, ' ');

const depthText = 'Query nesting is over 20';
const nodesText = 'Query has over 300 nodes';
const outputText = 'Estimated output nodes exceeds 100000';
const payloadText = 'Query payload is too large. The maximum allowed is 5000 bytes';

describe('a limit', () => {
  test.each([
    ['depth', nested(20), nested(21), { message: depthText, locations: [{ line: 1, column: 123 }] }],
    [
      'depth in fields',
      nestedFields(20),
      nestedFields(21),
      { message: depthText, locations: [{ line: 1, column: nestedFields(21).indexOf('__typename') + 1 }] },
    ],
    ['nodes', wide(300), wide(301), { message: nodesText, locations: [{ line: 1, column: 3303 }] }],
    ['payload', long(5000), long(5001), { message: payloadText }],
  ])('of %s accepts its maximum and rejects one more', async (_, allowed, refused, error) => {
    expect((await net.query(allowed)).errors).toBeUndefined();
    const answer = await net.query(refused);
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(JSON.stringify({ data: null, errors: [{ ...error, extensions: userInput }] }));
  });

  test('of output accepts its maximum and rejects one more', async () => {
    await using small = await startGraphqlDevnet({ limits: { maxOutputNodes: 42 } });
    const query = 'query($n:Int){transactionBlocks(first:$n){edges{node{digest}}}}';
    expect((await small.query(query, { n: 20 })).errors).toBeUndefined();
    expect((await small.query(query, { n: 21 })).errors).toEqual([
      { message: 'Estimated output nodes exceeds 42', extensions: userInput },
    ]);
    expect((await small.query(query, { n: 20 })).errors).toBeUndefined();
  });

  test('of output is exceeded by page sizes and products that overflow', async () => {
    for (const query of [
      '{ events(first: 4294967296) { nodes { bcs } } }',
      '{ checkpoints(first: 65536) { nodes { transactionBlocks(first: 65536) { nodes { digest } } } } }',
    ]) {
      expect((await net.query(query)).errors).toEqual([{ message: outputText, extensions: userInput }]);
    }
  });

  test.each([
    ['depth', { maxTypeArgumentDepth: 2 }, 'vector<u8>', 'vector<vector<u8>>', 'type argument depth is over 2'],
    ['width', { maxTypeArgumentWidth: 1 }, '0x2::a::B<u8>', '0x2::a::B<u8, u8>', 'type argument width is over 1'],
    ['nodes', { maxTypeNodes: 2 }, 'vector<u8>', 'vector<vector<u8>>', 'total type nodes is over 2'],
  ])('of type %s applies wherever a type is named', async (_, limits, allowed, refused, message) => {
    await using small = await startGraphqlDevnet({ limits });
    const places = (type: string) => [
      `{ type(type: "${type}") { repr } }`,
      `{ coins(type: "${type}") { nodes { address } } }`,
      `{ coinMetadata(coinType: "${type}") { symbol } }`,
      `{ address(address: "0x5") { balance(type: "${type}") { totalBalance } } }`,
      `{ objects(filter: { type: "${type}" }) { nodes { address } } }`,
      `{ events(filter: { eventType: "${type}" }) { nodes { bcs } } }`,
      `{ owner(address: "0x5") { dynamicField(name: { type: "${type}", bcs: "AA==" }) { __typename } } }`,
    ];
    for (const query of places(allowed)) expect((await small.query(query)).errors, query).toBeUndefined();
    for (const query of places(refused)) {
      const { errors } = await small.query(query);
      expect(errors, query).toMatchObject([{ message: `Bad type: ${message}`, extensions: userInput }]);
    }
  });

  test('of Move values applies to their JSON as to their data', async () => {
    await using small = await startGraphqlDevnet({ limits: { maxMoveValueDepth: 1 } });
    for (const field of ['json', 'data']) {
      const { errors } = await small.query(`{ events(first: 1) { nodes { ${field} } } }`);
      expect(errors?.[0]?.message).toMatch(/exceeded maximum depth of a Move value/);
    }
  });

  test('of transaction payload is separate from the query’s, and is rejected once used up', async () => {
    await using small = await startGraphqlDevnet({
      limits: { maxQueryPayloadSize: 100, maxTransactionPayloadSize: 400 },
    });
    const inline = (length: number) => `{ dryRunTransactionBlock(txBytes: "${'A'.repeat(length)}") { error } }`;
    const isPayload = (message: string | undefined) => /too large/.test(message ?? '');
    const messageOf = async (query: string, variables?: object) =>
      (await small.query(query, variables)).errors?.[0]?.message;
    expect(await messageOf(inline(396))).toMatch(/^Unable to deserialize/);
    expect(await messageOf(inline(400))).toBe(
      'Transaction payload too large. Requests are limited to 400 bytes or fewer on transaction payloads (all inputs to executeTransactionBlock or dryRunTransactionBlock) and the rest of the request (the query part) must be 100 bytes or fewer.',
    );
    const byVariable = 'query($t:String!){dryRunTransactionBlock(txBytes:$t){error}}';
    expect(isPayload(await messageOf(byVariable, { t: 'A'.repeat(398) }))).toBe(false);
    expect(isPayload(await messageOf(byVariable, { t: 'A'.repeat(399) }))).toBe(true);
    expect(await messageOf(long(101))).toBe('Query payload is too large. The maximum allowed is 100 bytes');
    expect(await messageOf(long(501))).toBe('Query payload is too large. The maximum allowed is 100 bytes');
  });

  test('rejects what no document may have', async () => {
    const { errors: directive } = await net.query('query @deprecated { chainIdentifier }');
    expect(directive).toEqual([
      {
        message: 'Directive `@deprecated` is not supported. Supported directives are `@include`, `@skip`',
        locations: [{ line: 1, column: 7 }],
        extensions: userInput,
      },
    ]);
    const { errors: fragment } = await net.query('{ chainIdentifier ...missing }');
    expect(fragment).toEqual([
      {
        message: 'Fragment missing referred to but not found in document',
        locations: [{ line: 1, column: 19 }],
        extensions: userInput,
      },
    ]);
  });

  test('of recursion is checked before depth, also for cyclic fragments', async () => {
    const message = 'The recursion depth of the query cannot be greater than `32`';
    expect((await net.query(nested(33))).errors![0]!.message).toBe(depthText);
    expect((await net.query(nested(34))).errors).toEqual([{ message }]);
    const circle = '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }';
    expect((await net.query(circle)).errors).toEqual([{ message }]);
  });

  test('withstands fragments that double one another, and endless braces', async () => {
    const doubling = Array.from(
      { length: 25 },
      (_, index) => `fragment f${index} on Query { ...f${index + 1} ...f${index + 1} }`,
    );
    const { errors } = await net.query(`{ ...f0 } ${doubling.join(' ')} fragment f25 on Query { chainIdentifier }`);
    expect([depthText, nodesText]).toContain(errors![0]!.message);
    const braces = await net.query('{ a '.repeat(1249));
    expect(braces.errors).toHaveLength(1);
    const roomy = await startGraphqlDevnet({ limits: { maxQueryPayloadSize: 1_000_000 } });
    await using _ = roomy;
    expect((await roomy.query('{a'.repeat(200_000))).errors).toHaveLength(1);
  });
});

describe('several exceeded limits', () => {
  test.each([
    ['payload before syntax', `{ ${' '.repeat(5000)}`, payloadText],
    ['payload before depth', nested(21).padEnd(5001, ' '), payloadText],
    ['directives before depth', nested(21).replace('chainIdentifier', 'chainIdentifier @defer'), /^Directive/],
    // 280 + 20 nodes on 20 levels; what is one too many is also one too deep.
    ['depth before nodes on one level', beside(280, nested(21)), depthText],
    // 281 + 20 nodes: the last of level 20 is one too many, before there is a level 21.
    ['nodes before the depth of a later level', beside(281, nested(21)), nodesText],
    ['nodes before output', `${wide(300).slice(0, -1)} events(first: 4294967296) { nodes { bcs } } }`, nodesText],
    ['output before validation', '{ nothing(first: 4294967296) { nodes { bcs } } }', outputText],
    [
      'depth of one operation before output of an earlier one',
      `query a { nothing(first: 4294967296) { nodes { bcs } } } query b ${nested(21)}`,
      depthText,
    ],
  ])('answer with one error: %s', async (_, query, message) => {
    const { errors, data } = await net.query(query);
    expect(data).toBeNull();
    expect(errors).toHaveLength(1);
    expect(errors![0]!.message).toMatch(message);
  });

  test('count skipped fields, and not introspection alone', async () => {
    const skipped = `{ chainIdentifier ${wide(300).slice(2, -2).replaceAll('__typename', 'chainIdentifier @skip(if: true)')} }`;
    await using roomy = await startGraphqlDevnet({ limits: { maxQueryPayloadSize: 20_000 } });
    expect((await roomy.query(skipped)).errors![0]!.message).toBe(nodesText);
    const schemaOnly = `{ __schema { ${wide(301).slice(2, -2)} } }`;
    expect((await net.query(schemaOnly)).data.__schema.__typename).toBe('__Schema');
  });

  test('follow the values in serviceConfig', async () => {
    await using other = await startGraphqlDevnet({ limits: { maxQueryDepth: 3, maxPageSize: 7, defaultPageSize: 2 } });
    const { serviceConfig, events } = await other.data(
      '{ serviceConfig { maxQueryDepth maxPageSize defaultPageSize } events { nodes { bcs } } }',
    );
    expect(serviceConfig).toEqual({ maxQueryDepth: 3, maxPageSize: 7, defaultPageSize: 2 });
    expect(events.nodes).toHaveLength(2);
    expect((await other.query(nested(4))).errors![0]!.message).toBe('Query nesting is over 3');
    expect((await other.query('{ events(first: 8) { nodes { bcs } } }')).errors![0]!.message).toBe(
      "Connection's page size of 8 exceeds max of 7",
    );
  });
});

describe('counting the whole body', () => {
  const limits = { maxQueryPayloadSize: 200, maxTransactionPayloadSize: 400 };
  const allowances =
    'Requests are limited to 400 bytes or fewer on transaction payloads (all inputs to executeTransactionBlock or dryRunTransactionBlock) and the rest of the request (the query part) must be 200 bytes or fewer.';
  const dryRun = 'query($t:String!){dryRunTransactionBlock(txBytes:$t){error}}';
  const bodyOf = (query: string, variables?: object) => JSON.stringify({ query, variables });
  const padded = (bytes: number) => bodyOf('{chainIdentifier}').padEnd(bytes, ' ');

  let whole: GraphqlDevnet;
  beforeAll(async () => {
    whole = await startGraphqlDevnet({ limits, payloadRule: 'body' });
  });
  afterAll(async () => {
    await whole[Symbol.asyncDispose]();
  });
  const messageOf = async (body: string) => {
    const response = await fetch(whole.devnet.graphqlUrl, { method: 'POST', body });
    return ((await response.json()) as { errors?: { message: string }[] }).errors?.[0]?.message;
  };

  test('everything except the transaction is query, with white space and variables', async () => {
    expect(await messageOf(padded(200))).toBeUndefined();
    expect(await messageOf(padded(201))).toBe(`Query part too large: 201 bytes. ${allowances}`);
    expect(await messageOf(bodyOf('{chainIdentifier}', { unused: 'x'.repeat(200) }))).toMatch(
      /^Query part too large: /,
    );
  });

  test('the transaction has its own limit', async () => {
    expect(await messageOf(bodyOf(dryRun, { t: 'A'.repeat(398) }))).toMatch(/^Unable to deserialize/);
    expect(await messageOf(bodyOf(dryRun, { t: 'A'.repeat(399) }))).toBe(
      `Transaction payload too large. ${allowances}`,
    );
  });

  test('both together are rejected unread', async () => {
    expect(await messageOf(padded(600))).toMatch(/^Query part too large: 600 bytes/);
    expect(await messageOf('x'.repeat(601))).toBe(`Overall request too large: 601 bytes. ${allowances}`);
  });

  test('a length must be declared', async () => {
    const chunked = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(bodyOf('{chainIdentifier}')));
        controller.close();
      },
    });
    const response = await fetch(whole.devnet.graphqlUrl, {
      method: 'POST',
      body: chunked,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  });
});
