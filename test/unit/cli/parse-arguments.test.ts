import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';

const devnet = (given: object = {}, profile = 'ledger') => ({
  name: 'devnet',
  profile,
  sponsorToken: null,
  options: {
    host: '127.0.0.1',
    port: 4100,
    checkpointIntervalMs: 500,
    checkpointPerTransaction: false,
    ...given,
  },
});

describe('commands', () => {
  test.each([
    [[], { name: 'serve', settings: {} }],
    [['serve'], { name: 'serve', settings: {} }],
    [['serve', '--port', '1'], { name: 'serve', settings: { PORT: '1' } }],
    [
      ['--log-level', 'warn', '--ledger-graphql-url=https://a.example'],
      { name: 'serve', settings: { LOG_LEVEL: 'warn', LEDGER_GRAPHQL_URL: 'https://a.example' } },
    ],
    [['schema', 'print'], { name: 'schema print', isFederation: false }],
    [['schema', 'print', '--federation'], { name: 'schema print', isFederation: true }],
    [['config', 'check'], { name: 'config check' }],
    [['schema', 'pull'], { name: 'schema pull', file: null, isGateway: false }],
    [['schema', 'pull', '--out', 'a', '--gateway'], { name: 'schema pull', file: 'a', isGateway: true }],
    [['schema', 'check', 'a'], { name: 'schema check', file: 'a', isGateway: false }],
    [['schema', 'check', '--gateway', 'a'], { name: 'schema check', file: 'a', isGateway: true }],
    [['config', 'schema'], { name: 'config schema' }],
    [['--help'], { name: 'help', command: null }],
    [['-h'], { name: 'help', command: null }],
    [['help'], { name: 'help', command: null }],
    [['help', 'keys'], { name: 'help', command: 'keys' }],
    [['devnet', '--port', '1', '--help'], { name: 'help', command: 'devnet' }],
    [
      ['tail'],
      {
        name: 'tail',
        url: 'http://127.0.0.1:4000/graphql',
        filter: null,
        isTransactions: false,
        after: null,
        stateFile: null,
        keyFile: null,
      },
    ],
    [
      ['tail', '--url', 'https://g.example/graphql', '--filter={"sender":"0x2"}', '--transactions', '--state', 's'],
      expect.objectContaining({
        url: 'https://g.example/graphql',
        filter: { sender: '0x2' },
        isTransactions: true,
        stateFile: 's',
      }),
    ],
    [['--version'], { name: 'version' }],
    [['-V'], { name: 'version' }],
    [['devnet'], devnet()],
    [
      ['devnet', '--port', '0', '--seed=7', '--host', '::1'],
      devnet({ port: 0, seed: 7, startMs: Date.UTC(2026, 0, 1), host: '::1' }),
    ],
    [['devnet', '--seed', '7', '--start-time', 'now'], devnet({ seed: 7 })],
    [['devnet', '--start-time', '2024-02-29T23:59:59.5Z'], devnet({ startMs: Date.UTC(2024, 1, 29, 23, 59, 59, 500) })],
    [
      ['devnet', '--history-checkpoints', '50', '--available-checkpoints', '0'],
      devnet({ retention: { checkpoints: 50 }, availableCheckpoints: 0 }),
    ],
    [['devnet', '--profile', 'iota'], devnet({}, 'iota')],
    [['devnet', '--checkpoint-ms', '0'], devnet({ checkpointIntervalMs: 0, checkpointPerTransaction: true })],
    [['devnet', '--checkpoint-ms', '50'], devnet({ checkpointIntervalMs: 50 })],
  ])('%j', (argv, command) => {
    expect(parseArguments(argv)).toEqual(command);
  });

  test('the sponsor token of the simulated network cannot be printed', () => {
    const command = parseArguments(['devnet', '--sponsor-token', 'hunter2']);
    expect(JSON.stringify(command)).not.toContain('hunter2');
    expect(command.name === 'devnet' && command.sponsorToken?.reveal()).toBe('hunter2');
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
      'Unknown command "sevre"; there are serve, devnet, tail, schema print, schema pull, schema check, config check, config schema, explain, audit, policy check and keys new. Did you mean serve?',
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
    expect(parseArguments(argv)).toEqual({ name: 'usage error', message });
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
        const command = parseArguments(argv);
        expect(command.name).toMatch(/^(serve|devnet|schema (print|pull|check)|help|version|usage error)$/);
        if (command.name === 'usage error') expect(command.message).toMatch(/^[^\n]+$/);
      }),
    );
  });
});
