import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Ed25519Keypair } from '@mysten/sui-v2/keypairs/ed25519';
import { Transaction } from '@mysten/sui-v2/transactions';
import { describe, expect, it } from 'vitest';
import { onDevnet } from '../../support/sponsor-stage.ts';
import type { TestGateway } from '../../support/test-gateway.ts';

const secret = 'a secret of more than thirty-two characters'.replaceAll(' ', '-');
const key = Ed25519Keypair.fromSecretKey(new Uint8Array(32).fill(7));

/** A service that answers as a test says; without an answer, it hangs. */
async function startHook(answer: (response: ServerResponse) => unknown) {
  const asked: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    asked.push({ headers: request.headers, body: await text(request) });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/decide`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
const say = (body: unknown) => (response: ServerResponse) => response.end(JSON.stringify(body));

async function sponsor(gateway: TestGateway, more: object = {}) {
  const tx = new Transaction();
  tx.moveCall({ target: '0xd0e::greeter::say_hello', arguments: [tx.pure.string('hi')] });
  const kind = Buffer.from(await tx.build({ onlyTransactionKind: true })).toString('base64');
  return gateway.query(
    'mutation ($kind: Base64!, $sender: String!, $key: String) { sponsorTransaction(transactionKind: $kind, sender: $sender, idempotencyKey: $key) { txBytes digest gasBudget reservation { reservationId } } }',
    { kind, sender: key.toSuiAddress(), ...more },
  );
}

interface Sponsored {
  readonly txBytes: string;
  readonly reservation: { readonly reservationId: string };
}

async function execute(gateway: TestGateway, { txBytes, reservation }: Sponsored) {
  const { signature } = await key.signTransaction(Buffer.from(txBytes, 'base64'));
  return gateway.query(
    'mutation ($id: ID!, $tx: Base64!, $sig: Base64!) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig) { outcome } }',
    { id: reservation.reservationId, tx: txBytes, sig: signature },
  );
}

describe('SPONSOR_POLICY_URL', () => {
  it('is asked once about a transaction, signed, without credentials and the lease', async () => {
    await using stage = await onDevnet();
    await using hook = await startHook(say({ allow: true }));
    await using gateway = await stage.open({ SPONSOR_POLICY_URL: hook.url, SPONSOR_POLICY_SECRET: secret });
    const { data } = await sponsor(gateway);
    expect((await execute(gateway, data.sponsorTransaction)).data.executeTx.outcome).toBe('EXECUTED');
    expect(hook.asked).toHaveLength(1);
    const [{ headers, body } = { headers: {}, body: '' }] = hook.asked;
    const timestamp = headers['x-ledger-gateway-timestamp'];
    expect(Math.abs(Date.now() / 1_000 - Number(timestamp))).toBeLessThan(60);
    const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    expect(headers['x-ledger-gateway-signature']).toBe(`sha256=${signature}`);
    expect(headers['x-request-id']).toEqual(expect.any(String));
    expect(JSON.parse(body)).toEqual({
      client: 'anonymous',
      visitor: expect.stringMatching(/^[\da-f]{32}$/),
      digest: null,
      sender: key.toSuiAddress(),
      targets: [`0x${'d0e'.padStart(64, '0')}::greeter::say_hello`],
      commands: ['moveCall'],
      gasBudget: null,
    });
  });

  it('denies with its message, before a coin is reserved', async () => {
    await using stage = await onDevnet();
    await using hook = await startHook(say({ deny: { message: 'Not on\na Sunday.' } }));
    await using gateway = await stage.open({ SPONSOR_POLICY_URL: hook.url, SPONSOR_POLICY_SECRET: secret });
    const { errors } = await sponsor(gateway);
    expect(errors?.[0]).toMatchObject({
      message: 'Not on a Sunday. Nothing was sent to the sponsor, and nothing is spent.',
      extensions: {
        code: 'FORBIDDEN',
        retry: 'never',
        policy: { rule: 'hook', limit: null, used: null, resetsAt: null, advice: expect.any(String) },
      },
    });
    expect(stage.reservations()).toBe(0);
    expect(gateway.log.find(({ msg, event }) => msg === 'sponsorship' && event === 'declined')).toMatchObject({
      rule: 'hook',
    });
  });

  it('decides about a transaction that the app built, and its decision is remembered', async () => {
    await using stage = await onDevnet();
    const answers: unknown[] = [{ allow: true }, { deny: { message: 'No' } }];
    await using hook = await startHook((response) => say(answers.shift() ?? { allow: true })(response));
    const settings = { SPONSOR_POLICY_URL: hook.url, SPONSOR_POLICY_SECRET: secret };
    await using first = await stage.open({ ...settings, LEASE_KEYS: secret });
    const { data } = await sponsor(first);
    // Another caller’s question: this gateway knows nothing of the transaction.
    await using other = await stage.open({ ...settings, LEASE_KEYS: secret });
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const { errors } = await execute(other, data.sponsorTransaction);
      expect(errors?.[0]?.message).toMatch(/RESERVATION|No\. Nothing was sent|reservation/);
    }
    expect(hook.asked).toHaveLength(2);
    expect(JSON.parse(hook.asked[1]?.body ?? '')).toMatchObject({ digest: data.sponsorTransaction.digest });
    expect(stage.executions()).toBe(0);
  });

  it.each([
    ['hangs', () => {}],
    ['breaks the connection', (response: ServerResponse) => response.destroy()],
    ['answers another status', (response: ServerResponse) => response.writeHead(500).end('{"allow":true}')],
    ['answers both', say({ allow: true, deny: { message: 'no' } })],
    ['answers neither', say({ allow: 'true' })],
    ['redirects', (response: ServerResponse) => response.writeHead(307, { location: '/other' }).end()],
    ['answers too much', say({ deny: { message: 'x'.repeat(20_000) } })],
  ])('that %s refuses, or lets pass with SPONSOR_POLICY_FAIL=open', async (_how, answer) => {
    await using stage = await onDevnet();
    await using hook = await startHook(answer);
    const settings = { SPONSOR_POLICY_URL: hook.url, SPONSOR_POLICY_SECRET: secret };
    await using closed = await stage.open(settings);
    const { errors } = await sponsor(closed);
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      upstream: 'policy',
      retry: 'backoff',
    });
    expect(stage.reservations()).toBe(0);
    await using open = await stage.open({ ...settings, SPONSOR_POLICY_FAIL: 'open' });
    const { data } = await sponsor(open);
    expect((await execute(open, data.sponsorTransaction)).data.executeTx.outcome).toBe('EXECUTED');
  });

  it('is signed with the secret that its file holds now', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'hook-')), 'secret');
    const next = 'another secret of more than thirty-two characters'.replaceAll(' ', '-');
    writeFileSync(path, secret);
    await using stage = await onDevnet();
    await using hook = await startHook(say({ deny: { message: 'no' } }));
    const settings = { SPONSOR_POLICY_URL: hook.url, SPONSOR_POLICY_SECRET_FILE: path };
    await using gateway = await stage.open(settings, { [path]: secret });
    for (const [written, used] of [
      [secret, secret],
      [next, next],
      ['too short', next],
    ] as const) {
      writeFileSync(path, written);
      await gateway.reload();
      await sponsor(gateway);
      const { headers, body } = hook.asked.at(-1) ?? { headers: {}, body: '' };
      const signed = `${headers['x-ledger-gateway-timestamp']}.${body}`;
      const signature = createHmac('sha256', used).update(signed).digest('hex');
      expect(headers['x-ledger-gateway-signature']).toBe(`sha256=${signature}`);
    }
    rmSync(dirname(path), { recursive: true });
  });

  it('needs a secret of 32 characters', async () => {
    await using stage = await onDevnet();
    const settings = { SPONSOR_POLICY_URL: 'http://127.0.0.1:1', SPONSOR_POLICY_SECRET: 'short' };
    await expect(stage.open(settings)).rejects.toThrow(/SPONSOR_POLICY_SECRET: .*32 visible ASCII characters or more/);
  });
});

describe('SPONSOR_SENDS_CALLER', () => {
  it('tells the sponsor the request and the client', async () => {
    await using stage = await onDevnet();
    for (const told of [true, false]) {
      stage.sponsor.requests.length = 0;
      await using gateway = await stage.open({ SPONSOR_SENDS_CALLER: String(told) });
      const { data } = await sponsor(gateway);
      await execute(gateway, data.sponsorTransaction);
      const headers = stage.sponsor.requests
        .filter(({ path }) => path.includes('/v1/'))
        .map((request) => request.headers);
      expect(headers).toHaveLength(2);
      for (const sent of headers) {
        expect(sent['x-ledger-gateway-client']).toBe(told ? 'anonymous' : undefined);
        expect(sent['x-request-id'] !== undefined).toBe(told);
      }
    }
  });
});
