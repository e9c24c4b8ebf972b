import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { encodeTransactionData } from '../../../src/devnet/transactions/encode-transaction.ts';
import { signTransaction } from '../../../src/devnet/transactions/signature.ts';
import type { AnyTransactionData } from '../../../src/devnet/transactions/system-transaction.ts';
import { type Reserved, type SponsorDevnet, startSponsorDevnet, token } from '../../support/start-sponsor-devnet.ts';

const path = '/v1/execute_tx';

interface Answer {
  readonly status: number;
  readonly effects: Record<string, unknown> | null;
  readonly error: string | null;
}

async function execute(sponsor: SponsorDevnet, body: unknown, headers?: Record<string, string>): Promise<Answer> {
  const response = await sponsor.post(path, body, headers);
  return { status: response.status, ...((await response.json()) as Omit<Answer, 'status'>) };
}

/** A transaction of Alice's that the reservation pays for, changed, and signed by her. */
function aliceSigns(
  sponsor: SponsorDevnet,
  reserved: Reserved,
  change: (data: AnyTransactionData) => AnyTransactionData = (data) => data,
) {
  const { devnet } = sponsor;
  const data = change(
    devnet.build((tx) => void tx.call('0x2::a::b', []), {
      gas: { owner: reserved.sponsor_address, payment: reserved.gas_coins },
    }),
  );
  const bytes = encodeTransactionData(data);
  return {
    reservation_id: reserved.reservation_id,
    tx_bytes: Buffer.from(bytes).toString('base64'),
    user_sig: signTransaction(devnet.alice, bytes),
  };
}

async function isStillHeld(sponsor: SponsorDevnet, reserved: Reserved): Promise<boolean> {
  return (await execute(sponsor, sponsor.signed(reserved))).status === 200;
}

describe('executing a sponsored transaction', () => {
  test('returns its effects and puts it into the next checkpoint', async () => {
    await using sponsor = await startSponsorDevnet();
    const { ledger, accounts } = sponsor.devnet;
    const reserved = await sponsor.reserve();
    const { digest, ...body } = sponsor.signed(reserved);
    const { status, effects, error } = await execute(sponsor, body);
    expect([status, error]).toEqual([200, null]);
    expect(effects).toMatchObject({
      messageVersion: 'v1',
      status: { status: 'success' },
      executedEpoch: '0',
      transactionDigest: digest,
      gasUsed: { computationCost: '1120000', computationCostBurned: '1120000' },
      modifiedAtVersions: [{ objectId: reserved.gas_coins[0]!.objectId, sequenceNumber: '1' }],
      gasObject: {
        owner: { AddressOwner: accounts.sponsor.address },
        reference: { objectId: reserved.gas_coins[0]!.objectId, version: 2 },
      },
    });
    expect(Object.keys(effects!)).not.toContain('deleted');
    expect(Object.keys(effects!)).not.toContain('sharedObjects');

    expect(ledger.transaction(digest)?.checkpoint).toBeNull();
    const checkpoint = ledger.closeCheckpoint();
    expect(ledger.transaction(digest)?.checkpoint).toBe(checkpoint.sequenceNumber);
    expect(ledger.transaction(digest)?.signatures()).toHaveLength(2);
    expect(ledger.events.at(-1)).toMatchObject({ txDigest: digest, sender: accounts.visitor.address });
  });

  test('is in a checkpoint before the response if the client waits for local execution', async () => {
    await using sponsor = await startSponsorDevnet();
    for (const key of ['request_type', 'requestType']) {
      const { digest, ...body } = sponsor.signed(await sponsor.reserve());
      await execute(sponsor, { ...body, [key]: 'waitForLocalExecution' });
      expect(sponsor.devnet.ledger.transaction(digest)?.checkpoint).toBe(
        sponsor.devnet.ledger.latestCheckpoint().sequenceNumber,
      );
    }
  });

  test('returns the coin to the pool in its new version', async () => {
    await using sponsor = await startSponsorDevnet({ genesis: { sponsorCoins: 1 } });
    const first = await sponsor.reserve();
    await execute(sponsor, sponsor.signed(first));
    const second = await sponsor.reserve();
    expect(second.gas_coins[0]).toMatchObject({ objectId: first.gas_coins[0]!.objectId, version: 2 });
    expect((await execute(sponsor, sponsor.signed(second))).status).toBe(200);
  });

  test('leaves one of several payment coins', async () => {
    await using sponsor = await startSponsorDevnet();
    const reserved = await sponsor.reserve(350_000_000);
    const { effects } = await execute(sponsor, sponsor.signed(reserved));
    expect(effects).toMatchObject({
      deleted: reserved.gas_coins
        .slice(1)
        .map(({ objectId }) => ({ objectId, version: 2 }))
        .sort((a, b) => (a.objectId < b.objectId ? -1 : 1)),
    });
    expect(sponsor.face.freeCoins()).toBe(1);
  });

  test('that fails has a result, and consumes the reservation', async () => {
    await using sponsor = await startSponsorDevnet();
    const reserved = await sponsor.reserve();
    const [coin] = sponsor.devnet.coins(sponsor.devnet.alice.address);
    const body = aliceSigns(sponsor, reserved, (data) => ({
      ...data,
      kind: sponsor.devnet.build((tx) => tx.transfer([tx.split(tx.owned(coin!), tx.u64(10n ** 18n))], data.sender))
        .kind,
    }));
    const { status, effects } = await execute(sponsor, body);
    expect(status).toBe(200);
    expect(effects!.status).toEqual({ status: 'failure', error: 'InsufficientCoinBalance in command 0' });
    expect(await isStillHeld(sponsor, reserved)).toBe(false);
  });

  test('writes owners as the service does', async () => {
    await using sponsor = await startSponsorDevnet();
    const reserved = await sponsor.reserve();
    const { ledger } = sponsor.devnet;
    const shared = ledger
      .liveObjects(0)
      .find(({ type, owner }) => owner.kind === 'shared' && type.includes('::pool::Pool<'))!;
    const body = aliceSigns(sponsor, reserved, (data) => ({
      ...data,
      kind: sponsor.devnet.build((tx) => void tx.call('0x2::a::b', [tx.shared(shared.objectId)])).kind,
    }));
    const { effects } = await execute(sponsor, body);
    expect(effects).toMatchObject({
      sharedObjects: [{ objectId: shared.objectId, version: 1, digest: shared.digest }],
      mutated: expect.arrayContaining([
        expect.objectContaining({ owner: { Shared: { initial_shared_version: 1 } } }),
      ]) as unknown,
    });
  });
});

describe('errors that keep the reservation', () => {
  const cases: [string, number, string | RegExp, (sponsor: SponsorDevnet, reserved: Reserved) => Promise<Answer>][] = [
    [
      'a wrong token',
      401,
      'Invalid authorization token',
      (sponsor, reserved) => execute(sponsor, sponsor.signed(reserved), { authorization: 'Bearer wrong' }),
    ],
    [
      'bytes that are no transaction',
      400,
      'Invalid bcs bytes for TransactionData',
      (sponsor, reserved) => execute(sponsor, { ...sponsor.signed(reserved), tx_bytes: 'AAAA' }),
    ],
    [
      'a transaction with something behind it',
      400,
      'Invalid bcs bytes for TransactionData',
      (sponsor, reserved) => {
        const { tx_bytes, ...body } = sponsor.signed(reserved);
        const longer = Buffer.concat([Buffer.from(tx_bytes, 'base64'), Buffer.of(0)]).toString('base64');
        return execute(sponsor, { ...body, tx_bytes: longer });
      },
    ],
    [
      'text that is not base64',
      400,
      'Invalid bcs bytes for TransactionData',
      (sponsor, reserved) => execute(sponsor, { ...sponsor.signed(reserved), tx_bytes: '***' }),
    ],
    [
      'a signature that is none',
      400,
      'Invalid bcs bytes for TransactionData',
      (sponsor, reserved) => execute(sponsor, { ...sponsor.signed(reserved), user_sig: 'AAAA' }),
    ],
    [
      'a denied sender',
      403,
      'Access denied by access controller',
      async (sponsor, reserved) => {
        const { visitor } = sponsor.devnet.accounts;
        sponsor.face.access.deny(visitor.address);
        const answer = await execute(sponsor, sponsor.signed(reserved));
        sponsor.face.access.allow(visitor.address);
        return answer;
      },
    ],
    [
      'an access check that breaks',
      400,
      /^Error while checking access\. EventId=[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      async (sponsor, reserved) => {
        sponsor.face.access.breakChecks(true);
        const answer = await execute(sponsor, sponsor.signed(reserved));
        sponsor.face.access.breakChecks(false);
        return answer;
      },
    ],
    [
      'another gas owner',
      500,
      /^Sponsor 0x[0-9a-f]{64} is not registered$/,
      (sponsor, reserved) =>
        execute(
          sponsor,
          aliceSigns(sponsor, reserved, (data) => ({
            ...data,
            gas: { ...data.gas, owner: sponsor.devnet.bob.address },
          })),
        ),
    ],
    [
      'a command that takes the gas coin',
      500,
      'Gas coin can only be used to pay gas',
      (sponsor, reserved) =>
        execute(
          sponsor,
          aliceSigns(sponsor, reserved, (data) => ({
            ...data,
            kind: sponsor.devnet.build((tx) => tx.transfer([tx.split(tx.gasCoin, tx.u64(1))], data.sender)).kind,
          })),
        ),
    ],
    [
      'a gas coin named as an input',
      500,
      'Gas coin can only be used to pay gas',
      (sponsor, reserved) =>
        execute(
          sponsor,
          aliceSigns(sponsor, reserved, (data) => ({
            ...data,
            kind: sponsor.devnet.build((tx) => void tx.call('0x2::a::b', [tx.owned(reserved.gas_coins[0]!)])).kind,
          })),
        ),
    ],
    [
      'coins of another reservation',
      400,
      /^Gas coins of the transaction are not those of reservation 1$/,
      async (sponsor, reserved) => {
        const other = await sponsor.reserve();
        return execute(sponsor, { ...sponsor.signed(other), reservation_id: reserved.reservation_id });
      },
    ],
    [
      'more gas than reserved',
      400,
      'Gas budget 50000001 of the transaction is over the reserved 50000000',
      (sponsor, reserved) => execute(sponsor, sponsor.signed(reserved, 50_000_001n)),
    ],
  ];

  test.each(cases)('%s', async (_what, status, error, attempt) => {
    await using sponsor = await startSponsorDevnet();
    const reserved = await sponsor.reserve();
    const answer = await attempt(sponsor, reserved);
    expect(answer).toMatchObject({ status, effects: null });
    if (typeof error === 'string') expect(answer.error).toBe(error);
    else expect(answer.error).toMatch(error);
    expect(await isStillHeld(sponsor, reserved)).toBe(true);
  });

  test('a body of the wrong shape is reported before the token', async () => {
    await using sponsor = await startSponsorDevnet();
    const { tx_bytes: _left, ...body } = sponsor.signed(await sponsor.reserve());
    const missing = await sponsor.post(path, body, {});
    expect([missing.status, await missing.text()]).toEqual([
      422,
      'Failed to deserialize the JSON body into the target type: missing field `tx_bytes`',
    ]);
    const unknown = await sponsor.post(path, { ...body, tx_bytes: '', request_type: 'waitForGodot' }, {});
    expect([unknown.status, await unknown.text()]).toEqual([
      422,
      'Failed to deserialize the JSON body into the target type: request_type: unknown variant `waitForGodot`, expected `waitForEffectsCert` or `waitForLocalExecution`',
    ]);
  });
});

describe('a missing reservation', () => {
  const gone = (id: number) => `Reservation no longer exist: ${id}`;

  test('never was', async () => {
    await using sponsor = await startSponsorDevnet();
    const answer = await execute(sponsor, { ...sponsor.signed(await sponsor.reserve()), reservation_id: 99 });
    expect([answer.status, answer.effects]).toEqual([500, null]);
    expect(answer.error).toContain(gone(99));
  });

  test('was used', async () => {
    await using sponsor = await startSponsorDevnet();
    const body = sponsor.signed(await sponsor.reserve());
    expect((await execute(sponsor, body)).status).toBe(200);
    const again = await execute(sponsor, body);
    expect(again.status).toBe(500);
    expect(again.error).toContain(gone(1));
  });

  test('expired', async () => {
    await using sponsor = await startSponsorDevnet();
    const body = sponsor.signed(await sponsor.reserve(50_000_000, 5));
    sponsor.devnet.now += 5_000;
    const late = await execute(sponsor, body);
    expect(late.status).toBe(500);
    expect(late.error).toContain(gone(1));
  });

  test('goes to one of two concurrent executions', async () => {
    await using sponsor = await startSponsorDevnet();
    const body = sponsor.signed(await sponsor.reserve());
    const both = await Promise.all([execute(sponsor, body), execute(sponsor, body)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 500]);
  });
});

describe('a rejection by the node consumes the reservation', () => {
  test.each<[string, RegExp, (sponsor: SponsorDevnet, reserved: Reserved) => object]>([
    [
      'a signature over other bytes',
      /Signature is not valid: Fail to verify user sig/,
      (sponsor, reserved) => ({
        ...aliceSigns(sponsor, reserved),
        user_sig: signTransaction(sponsor.devnet.alice, Uint8Array.of(1)),
      }),
    ],
    [
      'a signature of somebody else',
      /Required Signature from 0x[0-9a-f]{64} is absent/,
      (sponsor, reserved) => {
        const { tx_bytes, ...body } = aliceSigns(sponsor, reserved);
        return { ...body, tx_bytes, user_sig: signTransaction(sponsor.devnet.bob, Buffer.from(tx_bytes, 'base64')) };
      },
    ],
    [
      'a budget too low',
      /Gas budget: 999999 is lower than min: 1000000/,
      (sponsor, reserved) =>
        aliceSigns(sponsor, reserved, (data) => ({ ...data, gas: { ...data.gas, budget: 999_999n } })),
    ],
    [
      'a stale object',
      /is not available for consumption, current version: 2/,
      (sponsor, reserved) => {
        const [, coin] = sponsor.devnet.coins(sponsor.devnet.alice.address);
        sponsor.devnet.run((tx) => tx.transfer([tx.owned(coin!)], sponsor.devnet.alice.address));
        return aliceSigns(sponsor, reserved, (data) => ({
          ...data,
          kind: sponsor.devnet.build((tx) => tx.transfer([tx.owned(coin!)], data.sender)).kind,
        }));
      },
    ],
    [
      'the sponsor as sender',
      /Expect 1 signer signatures but got 2/,
      (sponsor, reserved) => aliceSigns(sponsor, reserved, (data) => ({ ...data, sender: reserved.sponsor_address })),
    ],
  ])('%s', async (_what, text, toBody) => {
    await using sponsor = await startSponsorDevnet();
    const reserved = await sponsor.reserve();
    const answer = await execute(sponsor, toBody(sponsor, reserved));
    expect([answer.status, answer.effects]).toEqual([500, null]);
    expect(answer.error).toMatch(text);
    expect(answer.error).toContain('RPC call failed: ErrorObject { code: ServerError(-32002)');
    expect(sponsor.face.freeCoins()).toBe(4);
    expect(await isStillHeld(sponsor, reserved)).toBe(false);
  });
});

test('a client that disconnects after sending does not stop the execution', async () => {
  await using sponsor = await startSponsorDevnet();
  const { digest, ...body } = sponsor.signed(await sponsor.reserve());
  const text = JSON.stringify(body);
  const { hostname, port } = new URL(sponsor.url);
  const executed = new Promise((resolve) => {
    const stop = sponsor.devnet.ledger.onCheckpoint(() => resolve(stop()));
  });
  const socket = connect(Number(port), hostname);
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`;
  const waiting = text.replace('{', '{"request_type":"waitForLocalExecution",');
  socket.end(`${head}content-length: ${Buffer.byteLength(waiting)}\r\n\r\n${waiting}`, () => socket.destroy());
  await executed;
  expect(sponsor.devnet.ledger.transaction(digest)?.status).toEqual({ ok: true });
});

test('a client that disconnects within its body stops only itself', async () => {
  await using sponsor = await startSponsorDevnet();
  const reserved = await sponsor.reserve();
  const { hostname, port } = new URL(sponsor.url);
  const socket = connect(Number(port), hostname);
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(head, () => socket.destroy());
  await closed;
  expect(await isStillHeld(sponsor, reserved)).toBe(true);
});
