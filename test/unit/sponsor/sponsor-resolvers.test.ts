import { graphql } from 'graphql';
import { beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import { createLeaseKeys, hashCoins, type Lease } from '../../../src/sponsor/leases.ts';
import type { PreflightPolicy } from '../../../src/sponsor/preflight.ts';
import type { SponsorClient, SponsorExecution } from '../../../src/sponsor/sponsor-client.ts';
import type { SponsorshipServices } from '../../../src/sponsor/sponsor-resolvers.ts';
import { createSponsorResolvers, type SponsorResolversOptions } from '../../../src/sponsor/sponsor-resolvers.ts';
import { readEffects } from '../../../src/sponsor/sponsor-response.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import type { Caller, OperationContext, Scope } from '../../../src/upstream/operation-context.ts';
import { UpstreamCallError } from '../../../src/upstream/upstream-call-error.ts';
import { createOwnSchema } from '../../support/own-schema.ts';
import { sponsorEffects } from '../../support/sponsor-effects.ts';
import { toSponsoredTransaction } from '../../support/sponsored-transaction.ts';
import { allowanceOf, newFlow, type TestBudget } from '../../support/sponsorship-flow.ts';
import { toTestServices } from '../../support/sponsorship-services.ts';
import { toTestCaller } from '../../support/test-caller.ts';
import { toTestPolicy } from '../../support/test-policy.ts';
import { until } from '../../support/until.ts';

const digestOfThreeZeros = 'AsWWT89kJHbo64xjtscp9E5zExV9CuMgQf4jNbxiDZ9s';

/** A sponsor in memory that writes down how it was called. */
function recordingClient(answers: Partial<SponsorClient> = {}) {
  const calls: unknown[][] = [];
  const record =
    <Args extends unknown[], Result>(name: string, answer: (...args: Args) => Promise<Result>) =>
    (...args: Args) => {
      calls.push([name, ...args.filter((arg) => !(arg instanceof AbortSignal))]);
      return answer(...args);
    };
  const client: SponsorClient = {
    health: record('health', answers.health ?? (async () => 'OK' as const)),
    version: record('version', answers.version ?? (async () => '0.3.0-1a2b3c4d5e6f')),
    debugHealthCheck: record('debugHealthCheck', async () => ({ ok: false, message: 'ill' })),
    reserveGas: record(
      'reserveGas',
      answers.reserveGas ??
        (async () => ({
          rawReservationId: '42',
          sponsorAddress: '0x5',
          gasCoins: [{ objectId: '0xc01', version: '7', digest: 'D0' }],
        })),
    ),
    executeTx: record('executeTx', answers.executeTx ?? (async ({ digest }) => executed(digest))),
    reloadAccessController: record('reloadAccessController', async () => ({ result: 'success' })),
  };
  return { client, calls };
}

function executed(digest: string, changes: Readonly<Record<string, unknown>> = {}): SponsorExecution {
  const rawEffects = sponsorEffects(digest, changes);
  return { digest, succeeded: rawEffects.status.status === 'success', effects: readEffects(rawEffects), rawEffects };
}

/** The header that went with the first call. */
function sentAuthorization(calls: readonly unknown[][]): string {
  const authorization = calls[0]?.find((arg) => arg instanceof Secret);
  if (!(authorization instanceof Secret)) throw new Error('no call carried a credential');
  return authorization.reveal();
}

const leases = createLeaseKeys(new Secret('the key of leases in tests'));
/** What the caller got for the sponsor's number 42. */
const lease = (changes: Partial<Lease> = {}, holder = toTestCaller().id) =>
  leases.sign(
    {
      leaseId: 'AAAAAAAAAAAAAAAAAAAAAA',
      rawReservationId: '42',
      sponsorAddress: '0x5',
      gasBudget: 5_000_000,
      issuedAtMs: nowMs,
      expiresAtMs: nowMs + 60_000,
      coinsHash: hashCoins([]),
      ...changes,
    },
    holder,
  );

let nowMs: number;
beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 31, 12);
});

function ask(
  source: string,
  {
    client,
    auth = 'forward',
    scopes = ['read', 'sponsor', 'admin'],
    gas = null,
    caller = {},
    policy = {},
    services = toTestServices(auth, () => nowMs, auth === 'token' ? { leases, isStoreNeeded: false } : {}),
  }: {
    client: SponsorClient | null;
    auth?: 'forward' | 'token';
    scopes?: readonly Scope[];
    gas?: TestBudget | null;
    caller?: Partial<Caller>;
    policy?: Partial<PreflightPolicy>;
    services?: SponsorshipServices;
  },
  variableValues: Record<string, unknown> = {},
) {
  const options: SponsorResolversOptions = {
    client,
    sponsorship: {
      auth,
      token: new Secret('gateway-token'),
      maxGasBudgetExclusive: 2_000_000_000,
      maxOpenReservations: null,
      preflight: 'off',
      unreadable: 'refuse',
      dryRun: 'off',
      ...policy,
    },
    doubted: () => {},
    limits: { maxTransactionPayloadBytes: 1_000 },
    mutationMs: 10_000,
    services,
    now: () => nowMs,
  };
  const contextValue: OperationContext = {
    requestId: 'r',
    cancellation: createCancellation(),
    caller: toTestCaller({
      ...{ kind: 'API_KEY', authorization: new Secret('Bearer mine'), scopes: new Set(scopes) },
      ...(gas && { policy: toTestPolicy({ gas: { perDay: gas.perDay } }, gas.key) }),
      ...caller,
    }),
  };
  return graphql({
    schema: createOwnSchema(createSponsorResolvers(options)),
    source,
    contextValue,
    variableValues,
  });
}

const errorOf = async (result: ReturnType<typeof ask>) => {
  const { data, errors } = await result;
  expect(errors).toHaveLength(1);
  const [{ message, path, extensions }] = errors as [NonNullable<typeof errors>[number]];
  return { data: data && { ...data }, message, path, extensions };
};

const reserve = 'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId } }';
const execute = 'mutation { executeTx(reservationId: "42", txBytes: "AAAA", userSig: "BBBB") { digest outcome } }';
const adminCalls = [
  ['checkSponsorHealth', 'mutation { checkSponsorHealth { ok message } }'],
  ['reloadAccessController', 'mutation { reloadAccessController { result } }'],
] as const;

describe('sponsor', () => {
  it('returns health and version, completely and in parts', async () => {
    const { data } = await ask('{ sponsor { health version { raw semver buildHash } } }', recordingClient());
    expect(data).toEqual({
      sponsor: {
        health: 'OK',
        version: { raw: '0.3.0-1a2b3c4d5e6f', semver: '0.3.0', buildHash: '1a2b3c4d5e6f' },
      },
    });
  });

  it('calls only for selected fields, and once, under aliases too', async () => {
    const { client, calls } = recordingClient();
    await ask('{ a: sponsor { x: health y: health } b: sponsor { health } }', { client });
    expect(calls.map(([name]) => name)).toEqual(['health']);
  });

  it('calls again in the next operation', async () => {
    const { client, calls } = recordingClient();
    await ask('{ sponsor { health } }', { client });
    await ask('{ sponsor { health } }', { client });
    expect(calls).toHaveLength(2);
  });

  it('keeps the version if health fails', async () => {
    const { client } = recordingClient({
      health: async () => {
        throw gatewayError('UPSTREAM_TIMEOUT', 'late', { upstream: 'sponsor' });
      },
    });
    expect(await errorOf(ask('{ sponsor { health version { raw } } }', { client }))).toEqual({
      data: { sponsor: { health: null, version: { raw: '0.3.0-1a2b3c4d5e6f' } } },
      message: 'late',
      path: ['sponsor', 'health'],
      extensions: { code: 'UPSTREAM_TIMEOUT', retry: 'backoff', upstream: 'sponsor' },
    });
  });

  it('exists without a sponsor, and its fields name the setting', async () => {
    expect(await errorOf(ask('{ sponsor { health } }', { client: null }))).toEqual({
      data: { sponsor: { health: null } },
      message: 'No sponsor is configured: SPONSOR_URL is not set.',
      path: ['sponsor', 'health'],
      extensions: { code: 'NOT_CONFIGURED', retry: 'never', upstream: 'sponsor', setting: 'SPONSOR_URL' },
    });
  });
});

describe('every mutation', () => {
  it.each([['reserveGas', reserve], ['executeTx', execute], ...adminCalls] as const)(
    '%s without a sponsor names the setting',
    async (name, source) => {
      expect(await errorOf(ask(source, { client: null }))).toMatchObject({
        data: { [name]: null },
        extensions: { code: 'NOT_CONFIGURED', setting: 'SPONSOR_URL' },
      });
    },
  );

  it.each([
    ['reserveGas', reserve, 'sponsor', ['read', 'admin']],
    ['executeTx', execute, 'sponsor', ['read', 'admin']],
    ['checkSponsorHealth', adminCalls[0][1], 'admin', ['read', 'sponsor']],
    ['reloadAccessController', adminCalls[1][1], 'admin', ['read', 'sponsor']],
  ] as [string, string, Scope, Scope[]][])(
    '%s in token mode is rejected without its scope, without a sponsor call',
    async (name, source, scope, scopes) => {
      const { client, calls } = recordingClient();
      expect(await errorOf(ask(source, { client, auth: 'token', scopes }))).toMatchObject({
        data: { [name]: null },
        message: `This needs the scope "${scope}".`,
        extensions: { code: 'FORBIDDEN' },
      });
      expect(calls).toEqual([]);
    },
  );

  it.each([['reserveGas', reserve], ['executeTx', execute], ...adminCalls] as const)(
    '%s in forward mode leaves the decision to the sponsor',
    async (_, source) => {
      const { client, calls } = recordingClient();
      expect((await ask(source, { client, scopes: [] })).errors).toBeUndefined();
      expect(sentAuthorization(calls)).toBe('Bearer mine');
    },
  );

  it.each([['reserveGas', reserve], ['executeTx', execute], ...adminCalls] as const)(
    '%s in token mode sends the gateway’s token',
    async (_, source) => {
      const { client, calls } = recordingClient();
      await ask(source.replace('"42"', `"${lease()}"`), { client, auth: 'token' });
      expect(sentAuthorization(calls)).toBe('Bearer gateway-token');
    },
  );

  it('treats a null key as none', async () => {
    const source =
      'mutation { reserveGas(gasBudget: 5, reserveDurationSecs: 60, idempotencyKey: null) { reservationId } }';
    expect((await ask(source, recordingClient())).errors).toBeUndefined();
  });
});

describe('reserveGas', () => {
  it('returns the reservation with its expiry counted from before the sponsor call', async () => {
    const { client, calls } = recordingClient({
      async reserveGas() {
        nowMs += 2_500;
        return { rawReservationId: '18446744073709551615', sponsorAddress: '0x5', gasCoins: [] };
      },
    });
    const source =
      'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasBudget gasCoins { objectId } expiresAt secondsLeft state } }';
    expect((await ask(source, { client })).data).toEqual({
      reserveGas: {
        reservationId: '18446744073709551615',
        sponsorAddress: '0x5',
        gasBudget: 5000000,
        gasCoins: [],
        expiresAt: '2026-01-31T12:01:00.000Z',
        secondsLeft: 57,
        state: 'ACTIVE',
      },
    });
    expect(calls[0]?.[1]).toEqual({ gasBudget: 5000000, reserveDurationSecs: 60 });
  });

  it('reports a reservation that expired before the response came', async () => {
    const { client } = recordingClient({
      async reserveGas() {
        nowMs += 1_000;
        return { rawReservationId: '1', sponsorAddress: '0x5', gasCoins: [] };
      },
    });
    const source = 'mutation { reserveGas(gasBudget: 1, reserveDurationSecs: 1) { secondsLeft state } }';
    expect((await ask(source, { client })).data).toEqual({ reserveGas: { secondsLeft: 0, state: 'EXPIRED' } });
  });

  it('does not round the version of a coin', async () => {
    const { client } = recordingClient({
      reserveGas: async () => ({
        rawReservationId: '1',
        sponsorAddress: '0x5',
        gasCoins: [{ objectId: '0xc01', version: '9007199254740993', digest: 'D0' }],
      }),
    });
    const source = 'mutation { reserveGas(gasBudget: 1, reserveDurationSecs: 1) { gasCoins { version } } }';
    expect(await errorOf(ask(source, { client }))).toMatchObject({
      path: ['reserveGas', 'gasCoins', 0, 'version'],
      extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
    });
  });

  it.each([
    ['gasBudget', 'gasBudget: 0, reserveDurationSecs: 60'],
    ['gasBudget', 'gasBudget: 2000000000, reserveDurationSecs: 60'],
    ['gasBudget', 'gasBudget: 9007199254740993, reserveDurationSecs: 60'],
    ['reserveDurationSecs', 'gasBudget: 1, reserveDurationSecs: 0'],
    ['reserveDurationSecs', 'gasBudget: 1, reserveDurationSecs: 601'],
    ['reserveDurationSecs', 'gasBudget: 1, reserveDurationSecs: -1'],
  ])('rejects %s without a sponsor call: %s', async (argument, args) => {
    const { client, calls } = recordingClient();
    expect(await errorOf(ask(`mutation { reserveGas(${args}) { reservationId } }`, { client }))).toMatchObject({
      data: { reserveGas: null },
      extensions: { code: 'BAD_USER_INPUT', argument },
    });
    expect(calls).toEqual([]);
  });
});

describe('executeTx', () => {
  it('sends the transaction with its digest', async () => {
    const { client, calls } = recordingClient();
    expect((await ask(execute, { client })).data).toEqual({
      executeTx: { digest: digestOfThreeZeros, outcome: 'EXECUTED' },
    });
    expect(calls[0]?.[1]).toEqual({
      rawReservationId: '42',
      reservationId: '42',
      txBytes: 'AAAA',
      userSig: 'BBBB',
      requestType: 'waitForEffectsCert',
      digest: digestOfThreeZeros,
    });
    // Calls that wait for a connection take turns by caller.
    expect(calls[0]?.[3]).toMatchObject({ caller: toTestCaller().rate.key });
  });

  it('in token mode sends the sponsor’s number of a lease, and returns the lease', async () => {
    const refused = gatewayError('SPONSOR_REJECTED', 'no', { reservationId: 'of the client' });
    const { client, calls } = recordingClient({ executeTx: () => Promise.reject(refused) });
    await ask(execute.replace('42', lease()), { client, auth: 'token' });
    expect(calls[0]?.[1]).toMatchObject({ rawReservationId: '42', reservationId: lease() });
  });

  it('has an unknown outcome with its digest after a fault of the gateway', async () => {
    const { client } = recordingClient({ executeTx: () => Promise.reject(new TypeError('x is undefined')) });
    expect(await errorOf(ask(execute, { client }))).toMatchObject({
      extensions: {
        ...{ code: 'EXECUTION_OUTCOME_UNKNOWN', retry: 'look-up', checkAfterMs: 5_000 },
        ...{ digest: digestOfThreeZeros, reservationId: '42' },
      },
    });
  });

  it('does not spend a reservation by a call that was never made for its credential', async () => {
    const answers = [gatewayError('UNAUTHENTICATED', 'no header'), null];
    const { client } = recordingClient({
      executeTx: async ({ digest }) => {
        const error = answers.shift();
        if (error) throw error;
        return executed(digest);
      },
    });
    const services = toTestServices('forward', () => nowMs);
    const { extensions } = await errorOf(ask(execute, { client, services }));
    expect(extensions).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect((await ask(execute, { client, services })).data).toEqual({
      executeTx: { digest: digestOfThreeZeros, outcome: 'EXECUTED' },
    });
  });

  it.each<[string, () => string]>([
    ['the sponsor’s own number', () => '42'],
    ['of another caller', () => lease({}, 'client:another')],
    ['that has expired', () => lease({ expiresAtMs: nowMs })],
    ['with another letter', () => lease().replace(/^./, 'B')],
    ['that is cut', () => lease().slice(0, -1)],
    ['of a megabyte', () => 'A'.repeat(1_000_000)],
    ['that is empty', () => ''],
  ])('in token mode refuses a reservation %s in the same words, before the sponsor sees it', async (_, toId) => {
    const { client, calls } = recordingClient();
    const source = 'mutation ($id: ID!) { executeTx(reservationId: $id, txBytes: "AAAA", userSig: "BBBB") { digest } }';
    expect(await errorOf(ask(source, { client, auth: 'token' }, { id: toId() }))).toMatchObject({
      message: expect.stringContaining('There is no such reservation of this caller, or it has expired.'),
      extensions: { code: 'RESERVATION_NOT_FOUND', digest: digestOfThreeZeros },
    });
    expect(calls).toEqual([]);
  });

  it.each([
    ['another signature', { sig: 'CCCC' }],
    ['another transaction', { tx: 'AAAB' }],
    ['another lease', { id: lease({ leaseId: 'BBBBBBBBBBBBBBBBBBBBBA' }) }],
    ['another wait', { type: 'WAIT_FOR_LOCAL_EXECUTION' }],
  ])('is one execution per key: with %s it is a conflict', async (_, change) => {
    const { client, calls } = recordingClient();
    const services = toTestServices('token', () => nowMs, { leases, isStoreNeeded: false });
    const source =
      'mutation ($id: ID!, $tx: Base64!, $sig: Base64!, $type: ExecuteTxRequestType) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig, requestType: $type, idempotencyKey: "once") { outcome } }';
    const first = { id: lease(), tx: 'AAAA', sig: 'BBBB', type: 'WAIT_FOR_EFFECTS_CERT' };
    const asked = { client, auth: 'token', services } as const;
    for (const _time of [1, 2])
      expect((await ask(source, asked, first)).data).toEqual({ executeTx: { outcome: 'EXECUTED' } });
    expect(await errorOf(ask(source, asked, { ...first, ...change }))).toMatchObject({
      extensions: { code: 'IDEMPOTENCY_CONFLICT' },
    });
    expect(calls).toHaveLength(1);
  });

  it.each([
    ['what it used', '1000', '500', 500],
    ['nothing where the rebate is larger: it refills no budget', '1000', '9000', 0],
  ])('settles %s of the budget', async (_, cost, rebate, settled) => {
    const gasUsed = { ...sponsorEffects('TX').gasUsed, computationCost: cost, storageCost: '0', storageRebate: rebate };
    const { client } = recordingClient({ executeTx: async ({ digest }) => executed(digest, { gasUsed }) });
    const services = toTestServices('token', () => nowMs, { leases, isStoreNeeded: false });
    const gas = { key: 'gas', perDay: 50_000_000 };
    const { leaseId } = leases.open(lease(), toTestCaller().id)!;
    const terms = { leaseId, amount: 5_000, gas, nowMs, expiresAtMs: nowMs + 60_000 };
    await services.store.beginReservation(newFlow(toTestCaller().id).reservation(terms));
    // Where gas is counted it must be readable.
    const gasCoin = {
      objectId: `0x${'c'.repeat(64)}`,
      version: 3,
      digest: '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi',
    };
    const { txBytes } = toSponsoredTransaction(
      { sponsorAddress: `0x${'5'.padStart(64, '0')}`, gasCoins: [gasCoin], gasBudget: 5_000 },
      1,
    );
    const coinsHash = hashCoins([{ ...gasCoin, version: '3' }]);
    const source = execute.replace('42', lease({ coinsHash })).replace('"AAAA"', `"${txBytes}"`);
    expect((await ask(source, { client, auth: 'token', services, gas })).errors).toBeUndefined();
    expect(await allowanceOf(services.store, gas, nowMs)).toMatchObject({
      held: 0,
      settled,
      free: 50_000_000 - settled,
    });
  });

  it('repeats its result under its key after the lease has expired; without the key, or with another, it fails', async () => {
    const { client, calls } = recordingClient();
    const services = toTestServices('token', () => nowMs, { leases, isStoreNeeded: false });
    const id = lease();
    const repeat = (key: string | null) =>
      ask(
        'mutation ($id: ID!, $key: String) { executeTx(reservationId: $id, txBytes: "AAAA", userSig: "BBBB", idempotencyKey: $key) { digest outcome } }',
        { client, auth: 'token', services },
        { id, key },
      );
    const executed = { executeTx: { digest: digestOfThreeZeros, outcome: 'EXECUTED' } };
    expect((await repeat('once')).data).toEqual(executed);
    nowMs += 61_000;
    expect((await repeat('once')).data).toEqual(executed);
    for (const key of [null, 'another'])
      expect(await errorOf(repeat(key))).toMatchObject({ extensions: { code: 'RESERVATION_NOT_FOUND' } });
    expect(calls).toHaveLength(1);
  });

  it.each([
    ['WAIT_FOR_EFFECTS_CERT', 'waitForEffectsCert'],
    ['WAIT_FOR_LOCAL_EXECUTION', 'waitForLocalExecution'],
    [null, 'waitForEffectsCert'],
  ])('asks the sponsor to wait by %s as %s', async (type, requestType) => {
    const { client, calls } = recordingClient();
    const source =
      'mutation ($type: ExecuteTxRequestType) { executeTx(reservationId: 42, txBytes: "AAAA", userSig: "BBBB", requestType: $type) { digest } }';
    await ask(source, { client }, { type });
    expect(calls[0]?.[1]).toMatchObject({ requestType });
  });

  it('returns a failed transaction as a result', async () => {
    const status = { status: 'failure', error: 'MoveAbort(1)' };
    const { client } = recordingClient({ executeTx: async ({ digest }) => executed(digest, { status }) });
    const source =
      'mutation { executeTx(reservationId: "42", txBytes: "AAAA", userSig: "BBBB") { outcome effects { status { status error } } } }';
    expect((await ask(source, { client })).data).toEqual({ executeTx: { outcome: 'FAILED', effects: { status } } });
  });

  it('returns every part of the effects, with omitted lists as empty, and the raw effects', async () => {
    const owners = [
      { AddressOwner: '0x5' },
      { ObjectOwner: '0x6' },
      { Shared: { initial_shared_version: 3 } },
      'Immutable',
      { ConsensusAddressOwner: { start_version: 4, owner: '0x7' } },
      { OwnerOfTheFuture: { owner: '0x8' } },
    ];
    const reference = { objectId: '0xc02', version: 9, digest: 'D2' };
    const changes = {
      created: owners.map((owner) => ({ owner, reference })),
      eventsDigest: 'EV',
      ofTheFuture: { kept: true },
    };
    const { client } = recordingClient({ executeTx: async ({ digest }) => executed(digest, changes) });
    const source = `mutation { executeTx(reservationId: "42", txBytes: "AAAA", userSig: "BBBB") { effects {
      messageVersion status { status error } executedEpoch
      gasUsed { computationCost computationCostBurned storageCost storageRebate nonRefundableStorageFee }
      modifiedAtVersions { objectId sequenceNumber } sharedObjects { objectId }
      transactionDigest created { owner { kind address initialSharedVersion } reference { objectId version digest } }
      mutated { owner { kind } } unwrapped { owner { kind } } deleted { objectId } unwrappedThenDeleted { objectId }
      wrapped { objectId } gasObject { reference { version } } eventsDigest dependencies raw
    } } }`;
    expect((await ask(source, { client })).data).toEqual({
      executeTx: {
        effects: {
          messageVersion: 'v1',
          status: { status: 'success', error: null },
          executedEpoch: '12',
          gasUsed: {
            computationCost: '1000000',
            computationCostBurned: '1000000',
            storageCost: '2964000',
            storageRebate: '1956000',
            nonRefundableStorageFee: '0',
          },
          modifiedAtVersions: [{ objectId: '0xc01', sequenceNumber: '7' }],
          sharedObjects: [],
          transactionDigest: digestOfThreeZeros,
          created: [
            { owner: { kind: 'ADDRESS', address: '0x5', initialSharedVersion: null }, reference },
            { owner: { kind: 'OBJECT', address: '0x6', initialSharedVersion: null }, reference },
            { owner: { kind: 'SHARED', address: null, initialSharedVersion: 3 }, reference },
            { owner: { kind: 'IMMUTABLE', address: null, initialSharedVersion: null }, reference },
            { owner: { kind: 'CONSENSUS_ADDRESS', address: '0x7', initialSharedVersion: 4 }, reference },
            { owner: { kind: 'UNKNOWN', address: null, initialSharedVersion: null }, reference },
          ],
          mutated: [{ owner: { kind: 'ADDRESS' } }],
          unwrapped: [],
          deleted: [],
          unwrappedThenDeleted: [],
          wrapped: [],
          gasObject: { reference: { version: 8 } },
          eventsDigest: 'EV',
          dependencies: ['DEP'],
          raw: sponsorEffects(digestOfThreeZeros, changes),
        },
      },
    });
  });

  it.each([
    ['of an unknown form', { gasUsed: null }, 'effects { executedEpoch }', ['effects']],
    [
      'with a version that would be rounded',
      { sharedObjects: [{ objectId: '0x1', version: '9223372036854775809', digest: 'D' }] },
      'effects { sharedObjects { version } }',
      ['effects', 'sharedObjects', 0, 'version'],
    ],
  ])('keeps digest and outcome if the effects are %s', async (_, changes, selection, path) => {
    const { client } = recordingClient({ executeTx: async ({ digest }) => executed(digest, changes) });
    const source = `mutation { executeTx(reservationId: "42", txBytes: "AAAA", userSig: "BBBB") { digest outcome ${selection} } }`;
    expect(await errorOf(ask(source, { client }))).toMatchObject({
      data: { executeTx: { digest: digestOfThreeZeros, outcome: 'EXECUTED', effects: null } },
      path: ['executeTx', ...path],
      // It ran: a repeat would not help.
      extensions: { code: 'UPSTREAM_BAD_RESPONSE', upstream: 'sponsor', retry: 'never' },
    });
  });

  it.each([
    ['reservationId', { reservationId: '042' }],
    ['reservationId', { reservationId: '18446744073709551616' }],
    ['txBytes', { txBytes: '' }],
    ['txBytes', { txBytes: 'AB==' }],
    ['txBytes', { txBytes: 'A'.repeat(1_000) }],
    ['userSig', { userSig: 'AA' }],
    ['userSig', { userSig: 'B'.repeat(1_000) }],
  ])('rejects an invalid %s without a sponsor call', async (argument, change) => {
    const { client, calls } = recordingClient();
    const source =
      'mutation ($reservationId: ID!, $txBytes: Base64!, $userSig: Base64!) { executeTx(reservationId: $reservationId, txBytes: $txBytes, userSig: $userSig) { digest } }';
    const variables = { reservationId: '42', txBytes: 'AAAA', userSig: 'BBBB', ...change };
    expect(await errorOf(ask(source, { client }, variables))).toMatchObject({
      data: { executeTx: null },
      extensions: { code: 'BAD_USER_INPUT', argument },
    });
    expect(calls).toEqual([]);
  });

  it('limits the payload of all executions of an operation together, even if one text fills all', async () => {
    const { client, calls } = recordingClient();
    const fields = Array.from(
      { length: 5 },
      (_, index) => `
      x${index}: executeTx(reservationId: "${index}", txBytes: $tx, userSig: "BBBB") { digest }`,
    );
    const source = `mutation ($tx: Base64!) { ${fields.join('')} }`;
    const { data, errors } = await ask(source, { client }, { tx: 'A'.repeat(300) });
    expect(Object.values(data ?? {}).map((field) => field !== null)).toEqual([true, true, true, false, false]);
    expect(calls).toHaveLength(3);
    expect(errors?.map(({ message }) => message)).toEqual(
      Array(2).fill(
        'Argument "txBytes" is too large: txBytes and userSig together are 304 bytes (txBytes 300, userSig 4), with 912 of the transactions before it in the operation, and may be at most 1000.',
      ),
    );
    expect((await ask(source, { client }, { tx: 'A'.repeat(196) })).errors).toBeUndefined();
  });
});

describe('a reservation', () => {
  const callers = {
    forward: [{ authorization: new Secret('Bearer a') }, { authorization: new Secret('Bearer b') }],
    token: [{ id: 'client:a' }, { id: 'client:b' }],
  } as const;

  it.each(['forward', 'token'] as const)('in %s mode is found by its own caller alone', async (auth) => {
    const { client } = recordingClient();
    const services = toTestServices(auth, () => nowMs);
    const [own, other] = callers[auth];
    const { data } = await ask(reserve, { client, auth, services, caller: own });
    const { reservationId } = (data as { reserveGas: { reservationId: string } }).reserveGas;
    const find = async (caller: Partial<Caller>) =>
      (await ask(`{ reservation(reservationId: "${reservationId}") { state } }`, { client, auth, services, caller }))
        .data;
    expect(await find(own)).toEqual({ reservation: { state: 'ACTIVE' } });
    expect(await find(other)).toEqual({ reservation: null });
  });
});

it('a sponsor call that ended without an answer, after its timeout, does not delay the stop', async () => {
  const options = { originalError: new UpstreamCallError('timeout', 'late') };
  const late = gatewayError('EXECUTION_OUTCOME_UNKNOWN', 'late', {}, options);
  const { client } = recordingClient({
    executeTx(_input, _own, _call, goesOn) {
      goesOn?.(Promise.reject(late));
      return Promise.reject(late);
    },
  });
  const services = toTestServices('forward', () => nowMs);
  expect(await errorOf(ask(execute, { client, services }))).toMatchObject({ message: 'late' });
  let isClosed = false;
  void services.executions.close().then(() => {
    isClosed = true;
  });
  await until(() => isClosed, 'the stop');
});

describe('the admin mutations', () => {
  it('return the sponsor’s results', async () => {
    const source = 'mutation { checkSponsorHealth { ok message } reloadAccessController { result } }';
    expect((await ask(source, recordingClient())).data).toEqual({
      checkSponsorHealth: { ok: false, message: 'ill' },
      reloadAccessController: { result: 'success' },
    });
  });
});
