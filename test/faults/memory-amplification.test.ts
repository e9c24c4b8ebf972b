import { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createCommonHeaders } from '../../src/server/exchange.ts';
import { type BodyReading, IncomingRequest, readBody } from '../../src/server/read-body.ts';
import { parseIdempotencyKey } from '../../src/sponsor/sponsor-fields.ts';
import { createMemoryStore } from '../../src/sponsor/store/memory-store.ts';
import { redactText } from '../../src/telemetry/redact-fields.ts';
import { createRoom } from '../../src/upstream/quota.ts';
import { cpuMsSince } from '../support/cpu-time.ts';
import { allowanceOf, newFlow } from '../support/sponsorship-flow.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Megabytes in use after a garbage collection. */
function megabytesInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
}

/** The least CPU time of several attempts, in milliseconds. */
function leastTime(work: () => void): number {
  const times = Array.from({ length: 7 }, () => {
    const before = process.cpuUsage();
    work();
    return cpuMsSince(before);
  });
  return Math.min(...times);
}

test('a body in the smallest allowed pieces takes its own size in memory, not that of its pieces', () => {
  const req = new IncomingRequest(new Socket());
  const readings: BodyReading[] = [];
  const bounds = { maxBytes: 1024 * 1024, arrivals: createRoom(1e9) };
  readBody(req, '', bounds, (reading) => readings.push(reading));
  const before = megabytesInUse();
  for (let count = 0; count < 16_000; count += 1) req.push(Buffer.alloc(64, count % 251));
  expect(megabytesInUse() - before).toBeLessThan(0.8);
  req.push(null);
  const body = readings.map((reading) => (reading.kind === 'whole' ? reading.body : null))[0];
  expect(body).toHaveLength(16_000 * 64);
  expect(body?.every((byte, index) => byte === Math.floor(index / 64) % 251)).toBe(true);
});

test('an origin has one set of headers, in any letter case', () => {
  const origin = 'https://a-dapp-of-a-long-name.example.com';
  const stamps = createCommonHeaders({
    versionHeaders: ['x'],
    rpcVersion: { current: '1.0.0' },
    corsOrigins: [origin],
  });
  const spelt = (index: number) => {
    let rest = index;
    return origin.replace(/[a-z]/g, (letter) => {
      const isLarge = rest % 2 === 1;
      rest = Math.floor(rest / 2);
      return isLarge ? letter.toUpperCase() : letter;
    });
  };
  const before = megabytesInUse();
  for (let index = 0; index < 60_000; index += 1) expect(stamps(spelt(index), 'id')).toContain(spelt(index));
  expect(megabytesInUse() - before).toBeLessThan(8);
  expect(stamps(origin, 'id')).toContain(origin);
});

test('redacting credentials takes time linear in the length of a path', () => {
  const pathOf = (letters: number) => `/${'a.'.repeat(letters / 2)}_://`;
  const [short, long] = [pathOf(2_000), pathOf(32_000)];
  expect(leastTime(() => redactText(long))).toBeLessThan(60 * leastTime(() => redactText(short)));
});

test('credentials in a URL are redacted after a scheme of any length', () => {
  for (const scheme of ['redis', `x${'y'.repeat(100)}`, `a.${'b'.repeat(60)}`, '1http', '']) {
    expect(redactText(`at ${scheme}://user:secret@host/path?key=secret`)).not.toContain('secret');
  }
});

test('reservations that the sponsor rejects, and executions that are never sent, leave nothing in memory', async () => {
  const store = createMemoryStore();
  const gas = { key: 'gas', perDay: 1e12 };
  const refuse = async (count: number) => {
    for (let left = count; left > 0; left -= 1) {
      const { reservation, reservationEnd } = newFlow(`caller ${left % 10}`);
      await store.beginReservation(reservation({ gas }));
      await store.endReservation(reservationEnd({ kind: 'refused' }));
      const { execution, executionEnd } = newFlow(`caller ${left % 10}`);
      await store.beginExecution(execution({ mustBeKnown: false, attempt: 'mine' }));
      await store.endExecution(executionEnd({ kind: 'not-sent', attempt: 'mine' }));
    }
  };
  await refuse(1_000);
  const before = megabytesInUse();
  await refuse(20_000);
  expect(megabytesInUse() - before).toBeLessThan(2);
  expect(await allowanceOf(store, gas, newFlow().reservation().nowMs)).toMatchObject({ held: 0 });
});

test('a key of megabytes is rejected as fast as any other invalid key: many fields may share it', () => {
  const refuse = (key: string) => () => {
    for (let count = 0; count < 50; count += 1) expect(() => parseIdempotencyKey(key)).toThrow('1 to 255');
  };
  expect(leastTime(refuse('k'.repeat(8_000_000)))).toBeLessThan(10 * leastTime(refuse('a key')));
});
