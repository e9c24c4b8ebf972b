import type { GraphQLError } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import { createMaskError } from '../../../src/errors/mask-error.ts';
import type { RunningGateway } from '../../../src/start/embedding.ts';
import { startGateway } from '../../../src/start/start.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';

let ledger: ScriptedLedger;
let gateway: RunningGateway;
let isClockBroken = false;
const log: Record<string, unknown>[] = [];

beforeAll(async () => {
  ledger = await startScriptedLedger('type Query { a: Int }', { Query: { a: () => 1 } });
  const config = parseConfig({ env: { PORT: '0', LEDGER_GRAPHQL_URL: ledger.url }, readFile: () => '' });
  const logger = createLogger({ level: 'info', destination: { write: (line) => void log.push(JSON.parse(line)) } });
  gateway = await startGateway({ config, logger, now: () => (isClockBroken ? Number.NaN : Date.now()) });
});
afterAll(async () => {
  await gateway?.close();
  await ledger?.close();
});

const post = async (query: string, requestId: string) => {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': requestId },
    body: JSON.stringify({ query }),
  });
  return response.text();
};

it.each(['{ viewer { rate { resetsAt } } }', '{ a viewer { rate { resetsAt } } }'])(
  'a resolver that throws gives one log line, with request id and cause, and no details to the client: %s',
  async (query) => {
    for (const sight of ['first', 'second', 'third']) {
      const requestId = `${sight}-${query.length}`;
      isClockBroken = true;
      const text = await post(query, requestId).finally(() => {
        isClockBroken = false;
      });
      expect(JSON.parse(text).errors).toMatchObject([
        { message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } },
      ]);
      expect(text).not.toMatch(/Invalid time|RangeError|stack|\.ts/);
      const lines = log.filter((line) => line.requestId === requestId && line.level === 'error');
      expect(lines).toMatchObject([{ msg: 'an unexpected error was masked' }]);
      expect(JSON.stringify(lines[0])).toMatch(/RangeError: Invalid time value/);
    }
    expect(log.filter(({ level }) => level === 'error').length).toBe(
      log.filter(({ msg }) => msg === 'an unexpected error was masked').length,
    );
  },
);

it('a masked error is logged once, however often it is handled', () => {
  const told: unknown[] = [];
  const mask = createMaskError((error, requestId) => told.push([(error as Error).message, requestId]));
  const masked = mask(new Error('inside'), 'r');
  expect(mask(mask(masked))).toBe(masked);
  expect(told).toEqual([['inside', 'r']]);
});

it('an unexpected error of another part is logged with its cause, although its code is in the catalogue', () => {
  const told: unknown[] = [];
  const mask = createMaskError((error) => told.push((error as GraphQLError).originalError));
  const cause = new Error('no file descriptor is free');
  const text = 'Unexpected error.';
  expect(mask(gatewayError('INTERNAL_SERVER_ERROR', text, {}, { originalError: cause })).message).toBe(text);
  expect(told).toEqual([cause]);
});
