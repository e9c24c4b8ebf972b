import { describe, expect, test } from 'vitest';
import type { CallerGate, RateLimitState } from '../../../src/callers/caller-gate.ts';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import { buildGeneration } from '../../../src/graph/generation.ts';
import { createAdmitOperation } from '../../../src/operation/admit-operation.ts';
import { createPrepareOperation } from '../../../src/operation/prepare-operation.ts';
import type { ServedGeneration } from '../../../src/operation/prepared-operation.ts';
import { FairTurns } from '../../../src/upstream/fair-turns.ts';
import { createOwnSchema } from '../../support/own-schema.ts';
import { toTestCaller } from '../../support/test-caller.ts';
import { anyDocument, quietTurns } from '../../support/test-operation.ts';

const config = parseConfig({ env: { LIMIT_MAX_QUERY_NODES: '10' }, readFile: () => '' });
const build = (): ServedGeneration =>
  buildGeneration(null, {
    prepareOn: createPrepareOperation,
    ownSchema: createOwnSchema(),
    execute: () => Promise.reject(new Error('nobody is asked')),
    names: networkProfiles.ledger.joins,
    config,
  });

const bounds = { ...anyDocument, turns: quietTurns(), longestMs: 10_000 };

/** Admission whose limiter is held until it is let go. */
function start() {
  const caller = toTestCaller();
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const grant = () => held.then(() => ({ kind: 'admitted', caller, standing: null }) as const);
  const gate: CallerGate = { admit: grant, charge: grant };
  const keeper = { current: build() };
  const seen = { isGone: false };
  const server = {
    sender: { authorization: null, apiKey: null, origin: undefined, remoteAddress: '', forwardedFor: undefined },
    arrivedAt: 0,
    onStanding: () => {},
    isGone: () => seen.isGone,
    onGone: () => {},
  };
  return {
    admit: createAdmitOperation({ gate, keeper, cost: 'usage', ...bounds }),
    caller,
    keeper,
    letGo,
    seen,
    server,
  };
}

const dear = {
  query: '{ gateway { version networkProfile rpcVersion } viewer { id kind } }',
  documentId: null,
  variables: {},
  operationName: null,
};

describe('work charged after the operation', () => {
  const standing = { isGranted: false, limit: 10, remaining: 0, resetsAtMs: 60_000, retryAfterSeconds: 60 } as const;
  const error = gatewayError('RATE_LIMITED', 'Over the limit.', { retryAfterMs: 60_000 });
  const refuse = async () => ({ kind: 'refused', error, standing }) as const;
  const { caller, keeper } = start();
  const admit = createAdmitOperation({ gate: { admit: refuse, charge: refuse }, keeper, cost: 'usage', ...bounds });

  test('that has not begun is rejected for a caller over its limit, with the time to retry', async () => {
    const told: RateLimitState[] = [];
    expect(await admit.charge({ onStanding: (each) => void told.push(each) }, caller, 5)).toBe(error);
    expect(told).toEqual([standing]);
  });

  test('that is done is counted, and a served caller gets no time to retry', async () => {
    const told: RateLimitState[] = [];
    expect(await admit.charge({ onStanding: (each) => void told.push(each) }, caller, 5, true)).toBeNull();
    expect(told).toEqual([{ limit: 10, remaining: 0, resetsAtMs: 60_000 }]);
  });
});

describe('an operation is charged its points but the one of its request', () => {
  const mutation = 'reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId }';
  // The limit is 10 nodes, so each node costs a point by usage.
  test.each([
    ['usage', '{ gateway { version } }', [2]],
    ['usage', dear.query, [7]],
    ['usage', `mutation { a: ${mutation} b: ${mutation} }`, [5]],
    ['request', dear.query, []],
    ['request', `mutation { ${mutation} }`, []],
    ['request', `mutation { a: ${mutation} b: ${mutation} c: ${mutation} }`, [2]],
  ] as const)('by %s: %s', async (cost, query, charges) => {
    const { caller, keeper, server } = start();
    const charged: number[] = [];
    const grant = async (points: number) => {
      charged.push(points);
      return { kind: 'admitted', caller, standing: null } as const;
    };
    const gate: CallerGate = { admit: () => grant(1), charge: (_, points) => grant(points) };
    const admit = createAdmitOperation({ gate, keeper, cost, ...bounds });
    expect(await admit.decide(server, caller, { ...dear, query })).toMatchObject({ kind: 'admitted' });
    expect(charged).toEqual(charges);
  });
});

describe('while the rate limiter answers slowly', () => {
  test('a schema that was replaced meanwhile is not used', async () => {
    const { admit, keeper, letGo, server } = start();
    const entering = admit.enter(server);
    keeper.current = build();
    letGo();
    const entry = await entering;
    if (entry.kind !== 'admitted') throw new Error('nobody is refused here');
    const admission = await admit.decide(server, entry.caller, dear);
    expect(admission.kind === 'admitted' && admission.operation.schema === keeper.current.schema).toBe(true);
  });

  test('an operation finishes on the schema with which it was decided', async () => {
    const { admit, caller, keeper, letGo, server } = start();
    const generation = keeper.current;
    const deciding = admit.decide(server, caller, dear);
    expect(deciding).toBeInstanceOf(Promise);
    keeper.current = build();
    letGo();
    const admission = await deciding;
    if (admission.kind !== 'admitted') throw new Error('nothing is refused here');
    expect(admission.operation.schema).toBe(generation.schema);
  });

  test('an operation is not begun if its caller leaves', async () => {
    const { admit, caller, keeper, letGo, seen, server } = start();
    const deciding = admit.decide(server, caller, dear);
    seen.isGone = true;
    letGo();
    expect((await deciding).kind).toBe('refused');
    expect((await admit.decide(server, caller, dear)).kind).toBe('refused');
    // Nor one that costs no more than asking did, for which there is nothing to wait.
    const never = () => Promise.reject(new Error('nobody is counted'));
    const byRequest = createAdmitOperation({
      gate: { admit: never, charge: never },
      keeper,
      cost: 'request',
      ...bounds,
    });
    expect(byRequest.decide(server, caller, dear)).toMatchObject({ kind: 'refused' });
  });
});

describe('while an operation waits for its turn', () => {
  const query = '{ gateway { version } }';
  /** The turn of the event loop is full. */
  function startBusy() {
    let nowMs = 0;
    let nextTurn = () => {};
    const turns = new FairTurns({
      now: () => nowMs,
      nextTurn: (then) => {
        nextTurn = then;
      },
      afterPromises: (then) => then(),
    });
    const { caller, keeper, seen, server } = start();
    const prepared: string[] = [];
    const { documents } = keeper.current;
    const prepare = (text: string) => {
      prepared.push(text);
      return documents.prepare(text);
    };
    const gate: CallerGate = { admit: () => new Promise(() => {}), charge: () => new Promise(() => {}) };
    const admit = createAdmitOperation({
      gate,
      keeper: { current: { ...keeper.current, documents: { ...documents, prepare } } },
      ...bounds,
      cost: 'request',
      turns,
    });
    void turns.run('another', { onGone: () => {} }, () => {
      nowMs += 100;
    });
    let leave = () => {};
    const leaving = { ...server, onGone: (giveUp: () => void) => (leave = giveUp) };
    const wait = (ms: number) => {
      nowMs += ms;
    };
    const go = () => {
      seen.isGone = true;
      leave();
    };
    const deciding = admit.decide(leaving, caller, { query, documentId: null, variables: {}, operationName: null });
    return { deciding, prepared, wait, go, nextTurn: () => nextTurn() };
  }

  test('it is not prepared yet', async () => {
    const { deciding, prepared, nextTurn } = startBusy();
    expect(prepared).toEqual([]);
    nextTurn();
    expect(await deciding).toMatchObject({ kind: 'admitted' });
    expect(prepared).toEqual([query]);
  });

  test('it is dropped without being prepared if its client leaves', async () => {
    const { deciding, prepared, go } = startBusy();
    go();
    expect(await deciding).toMatchObject({ kind: 'refused' });
    expect(prepared).toEqual([]);
  });

  test('it is not prepared after its timeout', async () => {
    const { deciding, prepared, wait, nextTurn } = startBusy();
    wait(10_000);
    nextTurn();
    expect(await deciding).toMatchObject({
      kind: 'refused',
      errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: 'REQUEST_TIMEOUT' }) })],
    });
    expect(prepared).toEqual([]);
  });
});
