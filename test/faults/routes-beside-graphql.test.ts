import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FaultyLedger, startFaultyLedger } from '../support/faulty-ledger.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

let ledger: FaultyLedger;
let gateway: TestGateway;

beforeEach(async () => {
  ledger = await startFaultyLedger();
});

afterEach(async () => {
  await gateway.close();
  await ledger[Symbol.asyncDispose]();
});

it.each(['/health/ready', '/'])('%s shows what is known while the ledger hangs', async (path) => {
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
  ledger.manner = () => 'reset';
  expect((await gateway.query('{ chainIdentifier }')).errors).toHaveLength(1);
  ledger.manner = () => 'held';
  const state = async () => {
    const { upstreams } = (await (await fetch(gateway.url + path)).json()) as { upstreams: { ledger: unknown } };
    return JSON.stringify(upstreams.ledger);
  };
  expect(await state()).toContain('down');
  expect(ledger.waiting).toBe(1);
  ledger.release();
  await until(async () => (await state()).includes('up'), 'the outcome of the probe');
});
