import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { createLineOutput, createLogger, type Logger, requestLine } from '../../../src/telemetry/logger.ts';

/** What a logger wrote, line by line. */
function record(log: (logger: Logger) => void, level: 'info' | 'trace' = 'trace') {
  const lines: string[] = [];
  log(createLogger({ level, destination: { write: (line) => void lines.push(line) } }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('a line', () => {
  test('is one JSON object with time, level as a word, fields and message', () => {
    const [line] = record((logger) => logger.warn({ requestId: 'r1', ms: 1.5 }, 'slow answer'));
    expect(line).toEqual({ level: 'warn', time: expect.any(String), requestId: 'r1', ms: 1.5, msg: 'slow answer' });
    expect(new Date(line?.time as string).toISOString()).toBe(line?.time);
  });

  test('below the level is not written', () => {
    expect(record((logger) => logger.debug('detail'), 'info')).toEqual([]);
  });

  test('formats values into the message', () => {
    expect(record((logger) => logger.info('%s of %d', 'one', 2))[0]?.msg).toBe('one of 2');
  });
});

describe('the line of a request', () => {
  const fields = { requestId: 'r1', token: 'visible', [requestLine]: () => '"requestId":"r1","token":"visible"' };

  test('looks like any other', () => {
    const [line] = record((logger) => logger.info(fields, 'request "1"'));
    const written = { level: 'info', time: expect.any(String), requestId: 'r1', token: 'visible', msg: 'request "1"' };
    expect(line).toEqual(written);
    expect(Object.keys(line ?? {})).toEqual(Object.keys(written));
    expect(new Date(line?.time as string).toISOString()).toBe(line?.time);
  });

  test('has the time of its request, to the millisecond', () => {
    onTestFinished(() => void vi.useRealTimers());
    const times = [
      '2026-01-31T23:59:59.007Z',
      '2026-01-31T23:59:59.045Z',
      '2026-01-31T23:59:59.999Z',
      '2026-02-01T00:00:00.000Z',
    ];
    vi.useFakeTimers({ now: new Date(times[0] as string) });
    const lines = record((logger) => {
      for (const time of times) {
        vi.setSystemTime(time);
        logger.info(fields, 'request');
      }
    });
    expect(lines.map(({ time }) => time)).toEqual(times);
  });

  test('says which process wrote it where several write to one log, as every line does', () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'info', pid: 17, destination: { write: (line) => void lines.push(line) } });
    logger.info(fields, 'request');
    logger.warn('another');
    expect(lines.map((line) => Object.keys(JSON.parse(line)).slice(0, 3))).toEqual(
      Array(2).fill(['level', 'time', 'pid']),
    );
    expect(lines.map((line) => JSON.parse(line).pid)).toEqual([17, 17]);
  });

  test('is searched for credentials if it is not JSON', () => {
    const lines = record((logger) => {
      logger.warn(fields, 'request');
      logger.child({ worker: 1 }).info(fields, 'request');
    });
    expect(lines).toMatchObject([
      { level: 'warn', requestId: 'r1', token: '[redacted]' },
      { level: 'info', worker: 1, requestId: 'r1', token: '[redacted]' },
    ]);
  });
});

describe('buffered lines', () => {
  function open() {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const written: string[] = [];
    return { written, ...createLineOutput({ write: (text) => void written.push(text) }, 10) };
  }

  test('are written together after 0.1 s, each time anew', () => {
    const { written, held } = open();
    for (let time = 1; time <= 3; time += 1) {
      held.write('a\n');
      held.write('b\n');
      vi.advanceTimersByTime(99);
      expect(written).toHaveLength(time - 1);
      vi.advanceTimersByTime(1);
      expect([written, vi.getTimerCount()]).toEqual([Array(time).fill('a\nb\n'), 0]);
    }
  });

  test('are written at the size that may be written together, and never split', () => {
    const { written, held } = open();
    for (const line of ['123456789', '1', '12345678', '12', '1234567890', '12345678901']) held.write(line);
    expect(written).toEqual(['1234567891', '1234567812', '1234567890', '12345678901']);
    held.write('123456');
    held.write('12345');
    expect(written.slice(4)).toEqual(['123456']);
    vi.advanceTimersByTime(100);
    expect([written.slice(4), vi.getTimerCount()]).toEqual([['123456', '12345'], 0]);
  });

  test('are written together with a line that is written immediately', () => {
    const { written, held, now } = open();
    now.write('a');
    held.write('b');
    now.write('c');
    expect([written, vi.getTimerCount()]).toEqual([['a', 'bc'], 0]);
    held.write('d');
    vi.advanceTimersByTime(100);
    expect(written).toEqual(['a', 'bc', 'd']);
  });
});

describe('redaction', () => {
  test.each([
    'authorization',
    'Authorization',
    'proxy-authorization',
    'token',
    'sponsorToken',
    'SPONSOR_TOKEN',
    'cookie',
    'set-cookie',
    'password',
    'clientSecret',
    'x-api-key',
    'lease_keys',
    'userSig',
  ])('of a field named %s, at any depth', (name) => {
    const [line] = record((logger) =>
      logger.info({ [name]: 'hunter2', request: { headers: [{ [name]: ['hunter2'] }] } }, 'x'),
    );
    expect(line).toMatchObject({ [name]: '[redacted]', request: { headers: [{ [name]: '[redacted]' }] } });
  });

  test('leaves other fields alone', () => {
    const fields = { operationName: 'Tokens', tokens: 3, author: 'a', list: [1, 'b', null, true], nothing: null };
    expect(record((logger) => logger.info(fields))[0]).toMatchObject(fields);
  });

  test('of secrets, and of credentials in URLs and after Bearer', () => {
    const [line] = record((logger) =>
      logger.info(
        {
          held: new Secret('hunter2'),
          url: 'https://me:hunter2@node.example/rpc?key=hunter2',
          at: new URL('wss://u:hunter2@h/'),
        },
        'calling https://me:hunter2@node.example/x with Bearer hunter2, retrying',
      ),
    );
    expect(line).toMatchObject({
      held: '[redacted]',
      url: 'https://[redacted]@node.example/rpc?[redacted]',
      at: 'wss://[redacted]@h/',
      msg: 'calling https://[redacted]@node.example/x with Bearer [redacted], retrying',
    });
  });

  test('of errors, their causes and their messages', () => {
    const cause = Object.assign(new Error('connect http://me:hunter2@h/'), { code: 'ECONNREFUSED', token: 'hunter2' });
    const error = new Error('call with Bearer hunter2 failed', { cause });
    for (const log of [
      (logger: Logger) => logger.error(error),
      (logger: Logger) => logger.error({ err: error }),
      (logger: Logger) => logger.error({ err: error }, 'it failed: %s', 'Bearer hunter2'),
      (logger: Logger) => logger.error('it failed %o', error),
    ]) {
      const [line] = record(log);
      expect(JSON.stringify(line)).not.toContain('hunter2');
      expect(line?.msg).toBeTypeOf('string');
    }
    expect(record((logger) => logger.error(error))[0]).toMatchObject({
      msg: 'call with Bearer [redacted] failed',
      err: {
        type: 'Error',
        message: 'call with Bearer [redacted] failed',
        stack: expect.stringContaining('logger.test'),
        cause: { message: 'connect http://[redacted]@h/', code: 'ECONNREFUSED', token: '[redacted]' },
      },
    });
  });

  test('of the bindings of child loggers and of their children', () => {
    const [line] = record((logger) => logger.child({ token: 'hunter2', id: 1 }).child({ cookie: 'hunter2' }).info('x'));
    expect(line).toMatchObject({ token: '[redacted]', id: 1, cookie: '[redacted]', msg: 'x' });
  });

  test('survives cycles, depth, getters that throw, binary data and large integers', () => {
    const circle: Record<string, unknown> = { big: 2n ** 70n, bytes: new Uint8Array(3), when: new Date(0) };
    circle.self = circle;
    Object.defineProperty(circle, 'trap', {
      enumerable: true,
      get: () => {
        throw new Error('trap');
      },
    });
    const [line] = record((logger) => logger.info({ circle, deep: nest(50) }));
    expect(line?.circle).toMatchObject({
      big: '1180591620717411303424',
      bytes: '[3 bytes]',
      self: '[circular]',
      trap: '[unreadable]',
      when: '1970-01-01T00:00:00.000Z',
    });
  });

  test('works for any fields: a value under a secret name is never in the line', () => {
    const secret = 's3cr3t-value';
    const place = fc.constantFrom<(rest: unknown) => unknown>(
      (rest) => ({ authorization: secret, rest }),
      (rest) => [new Secret(secret), rest],
      (rest) => ({ url: `https://u:${secret}@host/path?k=${secret}`, rest }),
      (rest) => new Error(`Bearer ${secret}`, { cause: rest }),
      (rest) => ({ a: { token: { nested: secret } }, rest }),
    );
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 6 }), fc.jsonValue(), (places, leaf) => {
        const value = places.reduce<unknown>((rest, wrap) => wrap(rest), leaf);
        const lines = record((logger) => logger.info({ value }, 'x'));
        expect(lines).toHaveLength(1);
        expect(JSON.stringify(lines)).not.toContain(secret);
      }),
    );
  });
});

function nest(levels: number): unknown {
  return levels === 0 ? 'bottom' : { below: nest(levels - 1) };
}
