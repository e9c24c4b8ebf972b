import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createDevnetAccounts } from '../../../src/devnet/genesis/accounts.ts';
import { createDevnetContracts } from '../../../src/devnet/genesis/contracts.ts';
import { createSponsorFace, type SponsorFaceOptions } from '../../../src/devnet/sponsor/sponsor-face.ts';
import { createLedger } from '../../../src/devnet/state/ledger.ts';
import { createDevnetSigner } from '../../../src/devnet/transactions/devnet-signer.ts';
import { createSponsorGraph, firstError, type SponsorGraphOptions } from '../../support/sponsor-graph.ts';

const token = 's3cr3t-t0ken-of-the-devnet';
const seed = 7;

interface SetUp {
  readonly face?: Partial<SponsorFaceOptions>;
  readonly graph?: Partial<SponsorGraphOptions>;
}

/** The sponsor part of the graph in front of the simulated network's sponsor, with a clock that a test moves. */
async function setUp({ face: faceOptions, graph: graphOptions }: SetUp = {}) {
  const time = { nowMs: Date.UTC(2026, 0, 31, 12) };
  const clock = () => time.nowMs;
  const accounts = createDevnetAccounts(seed);
  const ledger = createLedger({ seed, clock, genesis: { checkpoints: 3, sponsorCoins: 20 } });
  const face = createSponsorFace({ ledger, clock, sponsor: accounts.sponsor, token, ...faceOptions });
  const sign = createDevnetSigner({
    accounts,
    contracts: createDevnetContracts(seed),
    gasPrice: ledger.referenceGasPrice,
  });

  const server = createServer((req, res) => void face.handle(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const graph = createSponsorGraph({ origin, token, now: clock, ...graphOptions });

  const reserve = async () => {
    const { data } = await graph.ask(`mutation {
      reserveGas(gasBudget: 50000000, reserveDurationSecs: 60) {
        reservationId sponsorAddress gasCoins { objectId version digest } expiresAt secondsLeft state
      }
    }`);
    return data?.reserveGas as Reservation;
  };

  return {
    ...graph,
    ledger,
    face,
    time,
    reserve,
    sign: ({ sponsorAddress, gasCoins }: Reservation) => {
      const { bytes, signature, digest } = sign({ sponsorAddress, gasCoins, gasBudget: 50_000_000n });
      return { txBytes: Buffer.from(bytes).toString('base64'), userSig: signature, digest };
    },
    async [Symbol.asyncDispose]() {
      await graph[Symbol.asyncDispose]();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await face.close();
    },
  };
}

interface Reservation {
  readonly reservationId: string;
  readonly sponsorAddress: string;
  readonly gasCoins: readonly { readonly objectId: string; readonly version: number; readonly digest: string }[];
}

const execute = `mutation ($reservationId: ID!, $txBytes: Base64!, $userSig: Base64!) {
  executeTx(reservationId: $reservationId, txBytes: $txBytes, userSig: $userSig) {
    digest
    outcome
    effects {
      status { status error }
      executedEpoch
      gasUsed { computationCost storageCost storageRebate nonRefundableStorageFee }
      modifiedAtVersions { objectId sequenceNumber }
      sharedObjects { objectId version }
      created { owner { kind address } reference { objectId version digest } }
      mutated { reference { objectId } }
      deleted { objectId }
      gasObject { owner { kind address } reference { objectId version } }
      eventsDigest
      dependencies
      raw
    }
  }
}`;

describe('the simulated network’s sponsor through the graph', () => {
  it('reserves, executes and pays', async () => {
    await using devnet = await setUp();
    const reservation = await devnet.reserve();
    expect(reservation).toMatchObject({
      sponsorAddress: devnet.face.sponsorAddress,
      expiresAt: '2026-01-31T12:01:00.000Z',
      secondsLeft: 60,
      state: 'ACTIVE',
    });

    const { digest, ...transaction } = devnet.sign(reservation);
    const { data, errors } = await devnet.ask(execute, {
      variables: { reservationId: reservation.reservationId, ...transaction },
    });
    expect(errors).toBeUndefined();
    expect(data?.executeTx).toMatchObject({
      digest,
      outcome: 'EXECUTED',
      effects: {
        status: { status: 'success', error: null },
        gasObject: {
          owner: { kind: 'ADDRESS', address: devnet.face.sponsorAddress },
          reference: { objectId: reservation.gasCoins[0]?.objectId },
        },
        raw: { transactionDigest: digest },
      },
    });
    expect(devnet.ledger.transaction(digest)?.status).toEqual({ ok: true });
    expect(devnet.observations).toEqual([]);
  });

  it('executes with the other spelling of the request type too', async () => {
    await using devnet = await setUp({ graph: { requestTypeKey: 'request_type' } });
    const reservation = await devnet.reserve();
    const { digest, ...transaction } = devnet.sign(reservation);
    const closedBefore = devnet.ledger.latestCheckpoint().sequenceNumber;
    await devnet.ask(
      'mutation ($reservationId: ID!, $txBytes: Base64!, $userSig: Base64!) { executeTx(reservationId: $reservationId, txBytes: $txBytes, userSig: $userSig, requestType: WAIT_FOR_LOCAL_EXECUTION) { digest } }',
      { variables: { reservationId: reservation.reservationId, ...transaction } },
    );
    expect(devnet.ledger.latestCheckpoint().sequenceNumber).toBe(closedBefore + 1);
    expect(devnet.ledger.transaction(digest)?.checkpoint).toBe(closedBefore + 1);
  });

  it('returns its health and version', async () => {
    await using devnet = await setUp();
    const { data } = await devnet.ask('{ sponsor { health version { semver buildHash } } }');
    expect(data).toEqual({
      sponsor: {
        health: 'OK',
        version: { semver: '0.3.0', buildHash: devnet.face.sponsorAddress.slice(2, 14) },
      },
    });
  });

  it('runs its self-check and reloads its rules', async () => {
    await using devnet = await setUp();
    const { data } = await devnet.ask(
      'mutation { checkSponsorHealth { ok message } reloadAccessController { result } }',
    );
    expect(data).toEqual({
      checkSponsorHealth: { ok: true, message: 'OK' },
      reloadAccessController: { result: 'success' },
    });
  });
});

describe('an error of the simulated network’s sponsor', () => {
  it.each(['Bearer of-somebody-else', null])(
    'about the credential %j has the same code at every endpoint',
    async (authorization) => {
      await using devnet = await setUp({ graph: { auth: 'forward' } });
      const sources = [
        'mutation { reserveGas(gasBudget: 1, reserveDurationSecs: 1) { reservationId } }',
        'mutation { executeTx(reservationId: "1", txBytes: "AAAA", userSig: "AAAA") { digest } }',
        'mutation { checkSponsorHealth { ok } }',
        'mutation { reloadAccessController { result } }',
      ];
      for (const source of sources) {
        expect(firstError(await devnet.ask(source, { authorization }))).toMatchObject({ code: 'SPONSOR_UNAUTHORIZED' });
      }
    },
  );

  it('about missing coins is SPONSOR_EXHAUSTED', async () => {
    await using devnet = await setUp();
    const all = 'mutation { reserveGas(gasBudget: 1999999999, reserveDurationSecs: 60) { reservationId } }';
    expect((await devnet.ask(all)).errors).toBeUndefined();
    expect(firstError(await devnet.ask(all))).toEqual({
      code: 'SPONSOR_EXHAUSTED',
      retry: 'backoff',
      upstream: 'sponsor',
      message: 'Unable to reserve gas coins for the given budget.',
    });
  });

  it('about maintenance is SPONSOR_MAINTENANCE', async () => {
    await using devnet = await setUp();
    devnet.face.setMaintenance(true);
    const source = 'mutation { reserveGas(gasBudget: 1, reserveDurationSecs: 1) { reservationId } }';
    expect(firstError(await devnet.ask(source))).toMatchObject({ code: 'SPONSOR_MAINTENANCE' });
  });

  it('about a second execution is RESERVATION_NOT_FOUND', async () => {
    await using devnet = await setUp();
    const reservation = await devnet.reserve();
    const { digest, ...transaction } = devnet.sign(reservation);
    const variables = { reservationId: reservation.reservationId, ...transaction };
    expect((await devnet.ask(execute, { variables })).errors).toBeUndefined();
    expect(firstError(await devnet.ask(execute, { variables }))).toEqual({
      code: 'RESERVATION_NOT_FOUND',
      retry: 'look-up',
      message: expect.stringMatching(`was used by the transaction ${digest}`),
      digest,
      reservationId: reservation.reservationId,
    });
  });

  it('about an expired reservation is RESERVATION_NOT_FOUND', async () => {
    await using devnet = await setUp();
    const reservation = await devnet.reserve();
    const { digest: _, ...transaction } = devnet.sign(reservation);
    devnet.time.nowMs += 61_000;
    const variables = { reservationId: reservation.reservationId, ...transaction };
    expect(firstError(await devnet.ask(execute, { variables }))).toMatchObject({ code: 'RESERVATION_NOT_FOUND' });
  });

  it('about a wrong signature keeps its message', async () => {
    await using devnet = await setUp();
    const reservation = await devnet.reserve();
    const { txBytes } = devnet.sign(reservation);
    const { userSig } = devnet.sign(reservation);
    const variables = { reservationId: reservation.reservationId, txBytes, userSig };
    expect(firstError(await devnet.ask(execute, { variables }))).toMatchObject({
      code: 'SPONSOR_REJECTED',
      message: 'Signature is not valid: Fail to verify user sig',
    });
  });

  it.each([
    ['denied by its rules', 'deny', 'SPONSOR_FORBIDDEN', 'Access denied by access controller'],
    ['that it could not check', 'break', 'SPONSOR_REJECTED', 'Error while checking access. EventId='],
  ])('about a sender that %s keeps its message', async (_, how, code, words) => {
    await using devnet = await setUp();
    const reservation = await devnet.reserve();
    if (how === 'deny') devnet.face.access.deny(createDevnetAccounts(seed).visitor.address);
    else devnet.face.access.breakChecks(true);
    const { digest: __, ...transaction } = devnet.sign(reservation);
    const variables = { reservationId: reservation.reservationId, ...transaction };
    expect(firstError(await devnet.ask(execute, { variables }))).toMatchObject({
      code,
      message: expect.stringContaining(words),
    });
  });

  it('about bytes that are no transaction keeps its message', async () => {
    await using devnet = await setUp();
    const source = `mutation { executeTx(reservationId: "${await devnet.lease('1')}", txBytes: "AAAA", userSig: "AAAA") { digest } }`;
    expect(firstError(await devnet.ask(source))).toMatchObject({
      code: 'SPONSOR_REJECTED',
      message: 'Invalid bcs bytes for TransactionData',
    });
  });

  it('about an unknown gas owner keeps its message', async () => {
    await using devnet = await setUp();
    const reservation = await devnet.reserve();
    const stranger = createDevnetAccounts(seed).patron.address;
    const { digest: _, ...transaction } = devnet.sign({ ...reservation, sponsorAddress: stranger });
    const variables = { reservationId: reservation.reservationId, ...transaction };
    expect(firstError(await devnet.ask(execute, { variables }))).toMatchObject({
      code: 'SPONSOR_REJECTED',
      message: `Sponsor ${stranger} is not registered`,
    });
  });

  it('about its rules shows no file names', async () => {
    await using devnet = await setUp();
    devnet.face.access.breakConfiguration(true);
    expect(firstError(await devnet.ask('mutation { reloadAccessController { result } }'))).toEqual({
      code: 'SPONSOR_REJECTED',
      retry: 'never',
      upstream: 'sponsor',
      message: 'Failed to load config file',
    });
  });

  it('about its health is a result, with the reason in the log', async () => {
    await using devnet = await setUp();
    await devnet.ask('mutation { reserveGas(gasBudget: 1999999999, reserveDurationSecs: 60) { reservationId } }');
    const { data } = await devnet.ask('mutation { checkSponsorHealth { ok message } }');
    expect(data).toEqual({
      checkSponsorHealth: { ok: false, message: 'The sponsor failed its own health check.' },
    });
    expect(devnet.observations).toMatchObject([{ what: 'failed-health-check' }]);
  });
});
