import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHostileLedger } from '../support/hostile-ledger.ts';
import { type ScriptedSponsor, startScriptedSponsor } from '../support/scripted-sponsor.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { sponsorEffects } from '../support/sponsor-effects.ts';
import { type Paying, toSponsoredTransaction } from '../support/sponsored-transaction.ts';
import { executeMutation, reserveMutation } from '../support/sponsorship-history.ts';
import type { Answered } from '../support/sponsorship-world.ts';

let sponsor: ScriptedSponsor;
let ledger: Awaited<ReturnType<typeof startHostileLedger>>;
beforeAll(async () => {
  sponsor = await startScriptedSponsor();
  ledger = await startHostileLedger(new Map());
});
afterAll(async () => {
  for (const each of [sponsor, ledger]) await each?.[Symbol.asyncDispose]();
});

const start = () =>
  spawnGateway({
    LEDGER_GRAPHQL_URL: ledger.url,
    SPONSOR_URL: sponsor.origin,
    SPONSOR_TOKEN: 'token-of-the-sponsor',
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'https://dapp.example',
  });

async function ask({ url }: SpawnedGateway, query: string, variables: object): Promise<Answered> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  return (await response.json()) as Answered;
}

async function prepare(gateway: SpawnedGateway) {
  const coin = { objectId: `0x${'c'.padStart(64, '0')}`, version: 7, digest: '1'.repeat(32) };
  const result = { sponsor_address: `0x${'5'.padStart(64, '0')}`, reservation_id: 42, gas_coins: [coin] };
  sponsor.answer('/v1/reserve_gas', { body: JSON.stringify({ result, error: null }) });
  const { data } = await ask(gateway, reserveMutation, { budget: 5_000_000, seconds: 60, key: null });
  const lease = data?.reserveGas as Paying & { reservationId: string };
  const transaction = toSponsoredTransaction(lease, 1);
  const execute = () =>
    ask(gateway, executeMutation, {
      lease: lease.reservationId,
      tx: transaction.txBytes,
      sig: transaction.userSig,
      key: null,
    });
  return { digest: transaction.digest, execute };
}

/** Kills it, and returns the events that it has logged about this transaction. */
async function eventsAfterKilling(gateway: SpawnedGateway, digest: string) {
  process.kill(gateway.pid, 'SIGKILL');
  await gateway.cli.ended;
  return gateway
    .logged('sponsorship')
    .filter((line) => line.digest === digest)
    .map(({ event }) => event);
}

describe('a gateway that is killed', () => {
  test('has logged what it sent when the sponsor gets it', async () => {
    await using gateway = await start();
    const { digest, execute } = await prepare(gateway);
    sponsor.answer('/v1/execute_tx', 'silence');
    const arrived = sponsor.nextRequest();
    void execute().catch(() => {});
    await arrived;
    expect(await eventsAfterKilling(gateway, digest)).toEqual(['dispatched']);
  });

  test.each(['executed', 'failed', 'refused'])('has logged that it %s when the client is told', async (end) => {
    await using gateway = await start();
    const { digest, execute } = await prepare(gateway);
    const status = end === 'failed' ? { status: 'failure', error: 'MoveAbort' } : { status: 'success' };
    const refusal = { effects: null, error: 'Access denied by access controller' };
    const isRefused = end === 'refused';
    sponsor.answer('/v1/execute_tx', {
      status: isRefused ? 403 : 200,
      body: JSON.stringify(isRefused ? refusal : { effects: sponsorEffects(digest, { status }), error: null }),
    });
    await execute();
    expect(await eventsAfterKilling(gateway, digest)).toEqual(['dispatched', end]);
  });
});
