import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';

/** The options of these arguments, without those that were not given. */
function parse(...argv: string[]) {
  const parsed = parseArguments(argv);
  if (parsed.kind !== 'command') return parsed;
  const given = Object.entries(parsed.given).filter(([, value]) => value !== null && value !== false);
  return { name: parsed.name, given: Object.fromEntries(given), files: parsed.files };
}

describe('commands', () => {
  test.each([
    ['', 'serve', {}],
    ['serve', 'serve', {}],
    ['serve --port 1', 'serve', { port: '1' }],
    [
      '--log-level warn --ledger-graphql-url=https://a.example',
      'serve',
      { 'log-level': 'warn', 'ledger-graphql-url': 'https://a.example' },
    ],
    ['schema print', 'schema print', {}],
    ['schema print --federation', 'schema print', { federation: true }],
    ['schema pull', 'schema pull', {}],
    ['schema pull --out a --gateway', 'schema pull', { out: 'a', gateway: true }],
    ['schema check a', 'schema check', {}, ['a']],
    ['schema check --gateway a', 'schema check', { gateway: true }, ['a']],
    ['config check', 'config check', {}],
    ['config schema', 'config schema', {}],
    ['tail', 'tail', {}],
    [
      'tail --url https://g.example/graphql --filter={"sender":"0x2"} --transactions --state s --after c --key-file k',
      'tail',
      {
        url: 'https://g.example/graphql',
        filter: { sender: '0x2' },
        transactions: true,
        state: 's',
        after: 'c',
        'key-file': 'k',
      },
    ],
    ['explain a.graphql', 'explain', {}, ['a.graphql']],
    ['explain -', 'explain', {}, ['-']],
    [
      'explain --json a --variables {"n":1,"__proto__":2} --operation A',
      'explain',
      { json: true, variables: JSON.parse('{"n":1,"__proto__":2}'), operation: 'A' },
      ['a'],
    ],
    ['explain --manifest m --json', 'explain', { manifest: 'm', json: true }],
    ['policy check --client page --tx AA==', 'policy check', { client: 'page', tx: 'AA==' }],
    ['audit', 'audit', {}],
    ['audit a b --json', 'audit', { json: true }, ['a', 'b']],
    [
      'keys new --id web --scopes sponsor,read --per-minute 5 --origins https://a.example --gas-per-day 9',
      'keys new',
      {
        id: 'web',
        scopes: ['read', 'sponsor'],
        'per-minute': 5,
        origins: ['https://a.example'],
        'gas-per-day': 9,
      },
    ],
    ['devnet', 'devnet', {}],
    ['devnet --port 0 --seed=7 --host ::1', 'devnet', { port: 0, seed: 7, host: '::1' }],
    ['devnet --start-time now', 'devnet', { 'start-time': 'now' }],
    ['devnet --profile iota', 'devnet', { profile: 'iota' }],
  ])('%s', (text, name, given, files: string[] = []) => {
    expect(parse(...text.split(' ').filter(Boolean))).toEqual({ name, given, files });
  });

  test.each([
    ['--help', { kind: 'help', word: null }],
    ['-h', { kind: 'help', word: null }],
    ['help', { kind: 'help', word: null }],
    ['help keys', { kind: 'help', word: 'keys' }],
    ['devnet --port 1 --help', { kind: 'help', word: 'devnet' }],
    ['--version', { kind: 'version' }],
    ['-V', { kind: 'version' }],
  ])('%s', (text, parsed) => {
    expect(parse(...text.split(' '))).toEqual(parsed);
  });

  test('the sponsor token of the simulated network cannot be printed', () => {
    expect(JSON.stringify(parseArguments(['devnet', '--sponsor-token', 'hunter2']))).not.toContain('hunter2');
  });
});

describe('usage errors are one line that names the mistake', () => {
  test.each([
    [['--prot', '1'], "Unknown option '--prot'. Did you mean --port?"],
    [
      ['serve', '--sponsor-token', 'a'],
      "Unknown option '--sponsor-token'. Set SPONSOR_TOKEN in the environment: it is a secret",
    ],
    [['--redis-url', 'redis://a'], "Unknown option '--redis-url'. Set REDIS_URL in the environment: it is a secret"],
    [['help', 'devent'], 'Unknown command "devent". Did you mean devnet?'],
    [
      ['sevre'],
      'Unknown command "sevre"; there are serve, devnet, tail, schema print, schema pull, schema check, config check, config schema, explain, policy check, audit and keys new. Did you mean serve?',
    ],
    [['schema'], 'Unknown command "schema"; there are schema print, schema pull and schema check'],
    [['schema', 'show'], 'Unknown command "schema show"; there are schema print, schema pull and schema check'],
    [['schema', 'check'], 'schema check needs a file with the schema from before, as schema pull writes it'],
    [['schema', 'check', 'a', 'b'], 'Unexpected argument "b"'],
    [['schema', 'pull', 'x'], 'Unexpected argument "x"'],
    [['schema', 'pull', '--federation'], "Unknown option '--federation'"],
    [['schema', 'print', '--out', 'x'], "Unknown option '--out'"],
    [['schema', 'check', 'a', '--out', 'x'], "Unknown option '--out'"],
    [['config'], 'Unknown command "config"; there are config check and config schema'],
    [['config', 'check', 'x'], 'Unexpected argument "x"'],
    [['schema', 'print', 'x'], 'Unexpected argument "x"'],
    [['keys'], 'Unknown command "keys"; there is keys new'],
    [['keys', 'list'], 'Unknown command "keys list"; there is keys new'],
    [['keys', 'new'], 'keys new needs --id, the name of the client'],
    [['keys', 'new', 'web', '--id', 'web'], 'Unexpected argument "web"'],
    [
      ['keys', 'new', '--id', 'Web', '--scopes', 'root', '--per-minute', '-', '--origins', '*'],
      '--id: expected 1 to 64 lower-case letters, digits and hyphens, with a letter or digit at both ends, got "Web"; --scopes: expected scopes separated by commas, of read, sponsor, admin, got "root"; --per-minute: expected an integer from 0 to 1000000000, got "-"; --origins: expected origins separated by commas, each like https://app.example.com, without a path, got "*"',
    ],
    [
      ['keys', 'new', '--id', 'web', '--scopes', 'read,sponsors'],
      '--scopes: expected scopes separated by commas, of read, sponsor, admin, got "read,sponsors"',
    ],
    [
      ['keys', 'new', '--id', 'web', '--gas-per-day', '0', '--move-calls', '0x2,coin'],
      '--gas-per-day: expected an integer from 1 to 999999999999999 (of the smallest unit of the gas coin), got "0"; --move-calls: expected what may be called, separated by commas, each package::module::function, package::module or package, the package like 0x2, got "0x2,coin"',
    ],
    [['explain'], 'explain needs a file with an operation, - for standard input, or --manifest FILE'],
    [['explain', 'a', '--manifest', 'm'], 'Unexpected argument "a"'],
    [['explain', '--manifest', 'm', '--operation', 'A'], '--operation names an operation of a file, not of a manifest'],
    [['explain', 'a', 'b'], 'Unexpected argument "b"'],
    [['explain', 'a', '--variables', '[1]'], '--variables: expected a JSON object, got "[1]"'],
    [['explain', 'a', '--variables', '{n: 1}'], '--variables: expected a JSON object, got "{n: 1}"'],
    [['explain', 'a', '--seed', '1'], "Unknown option '--seed'"],
    [['serve', '--json'], "Unknown option '--json'"],
    [['serve', '--id', 'web'], "Unknown option '--id'"],
    [['serve', 'x'], 'Unexpected argument "x"'],
    [['devnet', 'x'], 'Unexpected argument "x"'],
    [['devnet', '--port'], "Option '--port <value>' argument missing"],
    [['devnet', '--port', '65536'], '--port: expected an integer from 0 to 65535, got "65536"'],
    [
      ['devnet', '--port', 'x', '--seed', '-'],
      '--port: expected an integer from 0 to 65535, got "x"; --seed: expected an integer from 0 to 4294967295, got "-"',
    ],
    ...[
      '2026-02-29T00:00:00Z',
      '2026-01-01',
      '1767225600000',
      '2026-01-01T00:00:00',
      '1970-01-01T00:00:00Z',
      'NOW',
    ].map((time): [string[], string] => [
      ['devnet', '--start-time', time],
      `--start-time: expected now, or an instant in UTC like 2026-01-31T12:00:00Z, from 1971 to 2199, got "${time}"`,
    ]),
    [['devnet', '--profile', 'eth'], '--profile: expected one of ledger, iota, sui, sui-legacy, got "eth"'],
    [
      ['devnet', '--sponsor-token', 'two words'],
      '--sponsor-token: expected a token of visible ASCII characters, without the word Bearer, got [redacted]',
    ],
  ])('%j', (argv, message) => {
    expect(parseArguments(argv)).toEqual({ kind: 'usage error', message });
  });

  test('any arguments give a command or a usage error', () => {
    const words = fc.constantFrom(
      'devnet',
      'serve',
      'schema',
      'print',
      'pull',
      'check',
      '--port',
      '--help',
      '--',
      '-',
      '--seed=1',
      '-x',
      '',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string())), (argv) => {
        const parsed = parseArguments(argv);
        if (parsed.kind === 'command') expect(parsed.name).toMatch(/^(serve|devnet|schema (print|pull|check))$/);
        if (parsed.kind === 'usage error') expect(parsed.message).toMatch(/^[^\n]+$/);
      }),
    );
  });
});
