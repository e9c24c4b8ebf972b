import { expect, test } from 'vitest';
import type { Plugin } from '../../../src/start/embedding.ts';
import { observeWith, toDeciders } from '../../../src/start/plugins.ts';
import { createTelemetry } from '../../../src/telemetry/events.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { until } from '../../support/until.ts';

function recorded() {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, telemetry: createTelemetry(createLogger({ level: 'error', destination })) };
}
const failing: Plugin = {
  onUpstreamCall: () => Promise.reject(new Error('a bug of the plugin')),
  onSponsorship() {
    throw new Error('a bug of the policy');
  },
};
const subject = {
  caller: { id: 'client:a', kind: 'API_KEY', rate: { key: 'a', perMinute: null } },
  requestId: 'r1',
  digest: null,
  outline: null,
  gasBudget: 5,
} as const;

test('without a hook, each function of the telemetry stays as it is', () => {
  const { telemetry } = recorded();
  expect(observeWith(telemetry, [{}])).toEqual(telemetry);
});

test('a plugin that fails is logged, and the next one is told', async () => {
  const { lines, telemetry } = recorded();
  const calls: unknown[] = [];
  const plugins = [failing, { onUpstreamCall: (call: unknown) => void calls.push(call) }];
  observeWith(telemetry, plugins).upstreamCalled('ledger', 200, 3, null);
  await until(() => lines.length > 0, 'the log line');
  expect(calls).toEqual([{ upstream: 'ledger', outcome: 200, durationMs: 3 }]);
  expect(lines.join()).toContain('a bug of the plugin');
});

test('a policy that fails is logged with the request, and decides nothing', async () => {
  const { lines, telemetry } = recorded();
  const [decide] = toDeciders([failing], telemetry);
  expect(await decide?.(subject)).toBeUndefined();
  expect(lines.join()).toMatch(/a bug of the policy.*"requestId":"r1"/);
});

test('a policy learns what the gateway knows of the transaction', async () => {
  const { telemetry } = recorded();
  const asked: unknown[] = [];
  const onSponsorship: Plugin['onSponsorship'] = (transaction) => {
    asked.push(transaction);
    return { allow: true };
  };
  const [decide] = toDeciders([{ onSponsorship }], telemetry);
  expect(await decide?.(subject)).toEqual({ allow: true });
  const unknown = { sender: null, targets: null, commands: null };
  expect(asked).toEqual([{ client: 'client:a', visitor: 'a', digest: null, gasBudget: 5, ...unknown }]);
});
