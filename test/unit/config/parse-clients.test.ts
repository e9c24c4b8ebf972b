import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientScopes, parseClients } from '../../../src/config/client.ts';
import { documentPolicies } from '../../../src/config/document-manifest.ts';
import { toTestClient, toTestRules } from '../../support/test-policy.ts';

const hash = 'ab'.repeat(32);
const other = 'cd'.repeat(32);

const noFile = (): string => {
  throw new Error('no file is named');
};
const clientsOf = (text: string) => {
  const result = parseClients(text, noFile);
  return 'mistakes' in result ? result.mistakes : result.clients;
};
const mistakesOf = (value: unknown) => {
  const result = parseClients(typeof value === 'string' ? value : JSON.stringify(value), noFile);
  return 'mistakes' in result ? result.mistakes : [];
};

describe('a clients file', () => {
  test('is YAML', () => {
    const text = [
      '# who may call',
      `- id: web-app`,
      `  hash: ${hash}`,
      '  scopes: [read, sponsor]',
      '  rate:',
      '    perMinute: 1200',
      '  origins:',
      '    - https://App.example.com:443',
      '  gas: { perDay: 5000000000 }',
      '  moveCalls: [0x2::coin, "0xABC::shop::buy", "0x02::coin"]',
      '  documents: only',
      `- { id: ops, hash: ${other} }`,
    ].join('\n');
    expect(clientsOf(text)).toEqual([
      toTestClient({
        id: 'web-app',
        hash,
        scopes: ['read', 'sponsor'],
        rate: { perMinute: 1200, perVisitorPerMinute: null },
        origins: ['https://app.example.com'],
        policy: toTestRules({
          gas: { perDay: 5_000_000_000 },
          moveCalls: [`0x${'2'.padStart(64, '0')}::coin`, `0x${'abc'.padStart(64, '0')}::shop::buy`],
        }),
        documents: 'only',
      }),
      toTestClient({ id: 'ops', hash: other }),
    ]);
  });

  test('is JSON', () => {
    expect(clientsOf(JSON.stringify([{ id: 'a', hash, rate: { perMinute: 0 }, scopes: ['admin', 'admin'] }]))).toEqual([
      toTestClient({ id: 'a', hash, scopes: ['admin'], rate: { perMinute: 0, perVisitorPerMinute: null } }),
    ]);
  });
});

test('the policies of the documentation have no mistakes', () => {
  const page = readFileSync(new URL('../../../docs/policies.md', import.meta.url), 'utf8');
  const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => parseClients(text, () => '0x5\n'));
  expect(examples.map((result) => ('mistakes' in result ? result.mistakes : result.clients.length))).toEqual([1, 1, 1]);
});

describe('mistakes', () => {
  test('are reported all at once, each by its path', () => {
    expect(
      mistakesOf([
        { id: 'Web', hash: 'abc', scopes: ['read', 'root'], rate: { perMinute: -1, perHour: 3 }, origins: [] },
        { id: 'b', hash, scopes: 'read', rate: 7, origins: ['app.example'], budget: 1 },
        7,
      ]),
    ).toEqual([
      {
        key: 'CLIENTS_FILE.0.id',
        expected: '1 to 64 lower-case letters, digits and hyphens, with a letter or digit at both ends',
        got: 'another text of 3 characters',
      },
      {
        key: 'CLIENTS_FILE.0.hash',
        expected: '64 hexadecimal digits in lower case',
        got: 'another text of 3 characters',
      },
      { key: 'CLIENTS_FILE.0.scopes.1', expected: 'one of read, sponsor, admin', got: 'another text of 4 characters' },
      {
        key: 'CLIENTS_FILE.0.rate.perMinute',
        expected: 'an integer from 0 to 1000000000 (attempts a minute)',
        got: '-1',
      },
      {
        key: 'CLIENTS_FILE.0.rate.perHour',
        expected: expect.stringContaining('a name that a client has: id, hash, scopes, origins, documents, policy'),
        got: 'an unknown one',
      },
      { key: 'CLIENTS_FILE.0.origins', expected: 'at least one origin, or none of this key', got: 'an empty list' },
      {
        key: 'CLIENTS_FILE.1.scopes',
        expected: 'a list of read, sponsor, admin',
        got: 'another text of 4 characters',
      },
      { key: 'CLIENTS_FILE.1.rate', expected: 'an object', got: '7' },
      {
        key: 'CLIENTS_FILE.1.origins',
        expected: 'origins, each like https://app.example.com, without a path',
        got: 'a list',
      },
      {
        key: 'CLIENTS_FILE.1.budget',
        expected: expect.stringContaining('a name that a client has: id, hash, scopes, origins, documents, policy'),
        got: 'an unknown one',
      },
      { key: 'CLIENTS_FILE.2', expected: 'an object', got: '7' },
    ]);
  });

  test.each([
    [{ gas: {} }, 'gas.perDay', 'an integer from 1 to', 'nothing'],
    [{ gas: { perDay: 0 } }, 'gas.perDay', 'an integer from 1 to', '0'],
    [{ gas: { perDay: 1.5 } }, 'gas.perDay', 'an integer from 1 to', '1.5'],
    [{ gas: { perDay: '5' } }, 'gas.perDay', 'an integer from 1 to', 'another text of 1 characters'],
    [{ gas: { perDay: 2 ** 53 } }, 'gas.perDay', 'an integer from 1 to', '9007199254740992'],
    [{ gas: 5 }, 'gas', 'an object', '5'],
    [{ gas: { perHour: 5, perDay: 5 } }, 'gas.perHour', 'a name that a client has', 'an unknown one'],
    [{ documents: 'none' }, 'documents', 'one of allow, log, only', 'another text of 4 characters'],
    [{ moveCalls: '0x2' }, 'moveCalls', 'a list of what may be called', 'another text of 3 characters'],
    [{ moveCalls: [2] }, 'moveCalls.0', 'package::module::function', '2'],
    [{ moveCalls: ['0x2', '2::coin'] }, 'moveCalls.1', 'package::module::function', 'another text of 7 characters'],
    [{ moveCalls: ['0x2::coin::'] }, 'moveCalls.0', 'package::module::function', 'another text of 11 characters'],
    [{ moveCalls: ['0x2::coin::a<u8>'] }, 'moveCalls.0', 'package::module::function', 'another text of 16 characters'],
    [{ moveCalls: ['0x2::a::b::c'] }, 'moveCalls.0', 'package::module::function', 'another text of 12 characters'],
    [
      { moveCalls: [`0x${'1'.repeat(65)}`] },
      'moveCalls.0',
      'package::module::function',
      'another text of 67 characters',
    ],
  ])('%j of sponsorship is reported by its path', (wrong, place, expected, got) => {
    expect(mistakesOf([{ id: 'a', hash, ...wrong }])).toEqual([
      { key: `CLIENTS_FILE.0.${place}`, expected: expect.stringContaining(expected), got },
    ]);
  });

  test('a client may have an empty moveCalls list', () => {
    expect(clientsOf(JSON.stringify([{ id: 'a', hash, moveCalls: [] }]))).toMatchObject([
      { policy: { moveCalls: [] } },
    ]);
  });

  test('two clients cannot have the same id or key', () => {
    expect(
      mistakesOf([
        { id: 'a', hash },
        { id: 'a', hash },
      ]),
    ).toEqual([
      { key: 'CLIENTS_FILE.1.id', expected: 'one that no other client has', got: 'that of client 0' },
      { key: 'CLIENTS_FILE.1.hash', expected: 'one that no other client has', got: 'that of client 0' },
    ]);
  });

  test.each([
    ['', 'nothing'],
    ['[]', 'an empty list'],
    ['id: a', 'an object'],
    ['a', 'another text of 1 characters'],
  ])('%j is no list of clients', (text, got) => {
    expect(mistakesOf(text)).toEqual([{ key: 'CLIENTS_FILE', expected: expect.stringContaining('a list of'), got }]);
  });

  test('a repeated key is one mistake in JSON as in YAML', () => {
    for (const text of [`[{"id":"a","hash":"${hash}","id":"b"}]`, `- { id: a, hash: ${hash}, id: b }`]) {
      expect(mistakesOf(text)).toEqual([
        {
          key: 'CLIENTS_FILE',
          expected: 'a JSON or YAML list of clients',
          got: expect.stringContaining('DUPLICATE_KEY'),
        },
      ]);
    }
  });

  test('a key in place of its hash is recognized and not shown', () => {
    const key = `lgk_web_${'x'.repeat(43)}`;
    expect(mistakesOf([{ id: 'web', hash: key }])).toEqual([
      { key: 'CLIENTS_FILE.0.hash', expected: '64 hexadecimal digits in lower case', got: 'a key itself' },
    ]);
  });

  test('no text of the file is shown, whatever it contains', () => {
    const secret = 'hunter2';
    const place = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => `- ${text}`,
      (text) => `- id: ${text}`,
      (text) => `- { id: a, hash: ${text} }`,
      (text) => `- { id: a, hash: ${hash}, scopes: [${text}] }`,
      (text) => `- { id: a, hash: ${hash}, origins: [https://${text}/] }`,
      (text) => `- { id: a, hash: ${hash}, rate: ${text} }`,
      (text) => `- { id: a, hash: ${hash}, rate: { perMinute: ${text} } }`,
      (text) => `- { id: a, hash: ${hash}, gas: { perDay: ${text} } }`,
      (text) => `- { id: a, hash: ${hash}, moveCalls: ["0x2::${text}::${text}::x"] }`,
      (text) => `- { id: a, hash: ${hash}, moveCalls: [0x2, ${text}] }`,
      (text) => `- "${text}`,
      (text) => `- *${text}`,
    );
    fc.assert(
      fc.property(place, fc.constantFrom('', '\n- [', '\n\t:', '"'), (write, after) => {
        const mistakes = mistakesOf(`${write(secret)}${after}`);
        expect(mistakes.length).toBeGreaterThan(0);
        expect(JSON.stringify(mistakes)).not.toContain(secret);
      }),
    );
  });
});

test('JSON means the same to both parsers, with quotes and colons in its texts', () => {
  const part = fc.constantFrom('"', ':', '\\', '": "', '","', 'a', ' ', '\u2028', '{', '"a":');
  const awkward = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 3 }, awkward, fc.nat(), fc.array(tie('any')), fc.dictionary(awkward, tie('any'))),
  })).any;
  fc.assert(
    fc.property(fc.array(value, { maxLength: 3 }), (list) => {
      const text = JSON.stringify(list, null, 1);
      // A comment makes it YAML.
      expect(parseClients(text, noFile)).toEqual(parseClients(`${text} # as YAML`, noFile));
    }),
  );
});

test('every list of clients is parsed as it was written', () => {
  const written = fc.record({
    id: fc.stringMatching(/^[a-z\d](?:[a-z\d-]{0,10}[a-z\d])?$/),
    hash: fc.stringMatching(/^[\da-f]{64}$/),
    scopes: fc.uniqueArray(fc.constantFrom(...clientScopes)),
    perMinute: fc.option(fc.nat(1_000_000_000)),
    origins: fc.option(fc.uniqueArray(fc.constantFrom('https://a.example', 'http://localhost:3000'), { minLength: 1 })),
    gasPerDay: fc.option(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
    moveCalls: fc.option(fc.uniqueArray(fc.stringMatching(/^0x[\da-f]{64}(::[a-z_]{2,9}){0,2}$/), { maxLength: 3 })),
    documents: fc.option(fc.constantFrom(...documentPolicies)),
  });
  fc.assert(
    fc.property(fc.uniqueArray(written, { selector: ({ id }) => id, minLength: 1, maxLength: 5 }), (entries) => {
      const text = entries.map(({ perMinute, origins, gasPerDay, moveCalls, documents, ...rest }) => ({
        ...rest,
        ...(perMinute === null ? {} : { rate: { perMinute } }),
        ...(origins === null ? {} : { origins }),
        ...(gasPerDay === null ? {} : { gas: { perDay: gasPerDay } }),
        ...(moveCalls === null ? {} : { moveCalls }),
        ...(documents === null ? {} : { documents }),
      }));
      const clients = entries.map(({ perMinute, gasPerDay, moveCalls, ...rest }) =>
        toTestClient({
          ...rest,
          rate: { perMinute, perVisitorPerMinute: null },
          policy: toTestRules({ gas: { perDay: gasPerDay }, moveCalls }),
        }),
      );
      expect(clientsOf(JSON.stringify(text))).toEqual(clients);
    }),
  );
});

describe('policies', () => {
  const files: Record<string, string> = { '/partners': `# partners\n0xA\n\n0xb\n`, '/broken': 'alice' };
  const parse = (content: object) => parseClients(JSON.stringify(content), (path) => files[path] ?? noFile());
  const address = (digits: string) => `0x${digits.padStart(64, '0')}`;

  test('are shared by name, and the members of a client take precedence', () => {
    const shop = {
      gas: { perDay: 900, perSenderPerDay: 50 },
      commands: { allow: ['splitCoins'] },
      until: '2027-01-01',
    };
    const client = { id: 'a', hash, policy: 'shop', gas: { perSenderPerDay: 7 }, visitors: 'one', streams: { max: 9 } };
    expect(parse({ policies: { shop, default: { rate: { perMinute: 5 } } }, clients: [client] })).toMatchObject({
      clients: [
        {
          visitors: 'one',
          streams: { max: 9, perVisitor: null },
          policy: {
            gas: { perDay: 900, perSenderPerDay: 7 },
            commands: { allow: ['splitCoins'], max: null },
            untilMs: Date.UTC(2027, 0, 1),
          },
        },
      ],
      policies: [{ id: 'shop' }, { id: 'default', rate: { perMinute: 5 } }],
    });
  });

  test('may list senders in the file or in one of their own', () => {
    const senders = { allow: '/partners', deny: ['0xC', '0x0c'] };
    expect(parse({ policies: { default: { senders } } })).toMatchObject({
      policies: [{ policy: { senders: { allow: [address('a'), address('b')], deny: [address('c')] } } }],
      files: ['/partners'],
    });
  });

  test.each([
    [{ clients: [{ id: 'a', hash, policy: 'none' }] }, 'CLIENTS_FILE.clients.0.policy'],
    [{ policies: { default: { senders: { allow: '/broken' } } } }, 'CLIENTS_FILE "/broken"'],
    [{ policies: { default: { senders: { allow: '/missing' } } } }, 'CLIENTS_FILE "/missing"'],
    [{ policies: { default: { from: 'tomorrow' } } }, 'CLIENTS_FILE.policies.default.from'],
    [{ policies: { default: { gas: { perDay: 1, perWeek: 1 } } } }, 'CLIENTS_FILE.policies.default.gas.perWeek'],
    [
      { policies: { default: { openReservations: { perVisitor: 0 } } } },
      'CLIENTS_FILE.policies.default.openReservations.perVisitor',
    ],
    [{ clients: [] }, 'CLIENTS_FILE'],
  ])('%j is a mistake, reported by its path', (content, key) => {
    const result = parse(content);
    expect('mistakes' in result ? result.mistakes : []).toMatchObject([{ key }]);
  });
});
