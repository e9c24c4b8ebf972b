import { graphql } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { RateQuota } from '../../../../src/callers/rate-limiter.ts';
import { createViewerResolvers } from '../../../../src/graph/gateway-fields/viewer-resolvers.ts';
import { createMemoryStore } from '../../../../src/sponsor/store/memory-store.ts';
import { StoreUnavailableError } from '../../../../src/sponsor/store/sponsorship-store.ts';
import { createCancellation } from '../../../../src/upstream/cancellation.ts';
import { createOwnSchema } from '../../../support/own-schema.ts';
import { holdOf } from '../../../support/sponsorship-flow.ts';
import { toTestCaller } from '../../../support/test-caller.ts';
import { toTestPolicy } from '../../../support/test-policy.ts';

const query =
  '{ viewer { id kind scopes rate { limit remaining held resetsAt } gas { limit remaining held resetsAt } } }';

const view = (
  quota: RateQuota | null,
  perDay: number | null = null,
  store = createMemoryStore(),
  { source = query, peek = async () => quota } = {},
) =>
  graphql({
    schema: createOwnSchema(createViewerResolvers({ limiter: { peek }, store, now: () => 1_000 })),
    source,
    contextValue: {
      requestId: 'r',
      cancellation: createCancellation(),
      caller: toTestCaller({
        id: 'client:web',
        kind: 'API_KEY',
        scopes: new Set(['read', 'admin']),
        policy: toTestPolicy({ gas: { perDay } }),
      }),
    },
  });

describe('the viewer', () => {
  test('is the caller, with what is left of its limit', async () => {
    expect(await view({ limit: 600, remaining: 599, resetsAtMs: 1_000 })).toEqual({
      data: {
        viewer: {
          id: 'client:web',
          kind: 'API_KEY',
          scopes: ['read', 'admin'],
          rate: { limit: '600', remaining: '599', held: null, resetsAt: '1970-01-01T00:00:01.000Z' },
          gas: null,
        },
      },
    });
  });

  test('has what is held and left of its gas budget for the day', async () => {
    const store = createMemoryStore();
    const gas = { key: 'client:web', perDay: 100 };
    const times = { nowMs: 1_000, answerByMs: 2_000, expiresAtMs: 3_000 };
    const holds = [holdOf(gas, 30, 1_000)];
    await store.beginReservation({ caller: 'c', leaseId: 'l', sender: null, holds, idempotency: null, ...times });
    const resetsAt = '1970-01-02T00:00:00.000Z';
    expect(await view(null, gas.perDay, store)).toMatchObject({
      data: { viewer: { gas: { limit: '100', remaining: '70', held: '30', resetsAt } } },
    });
    expect(await view(null, 20, store)).toMatchObject({
      data: { viewer: { gas: { limit: '20', remaining: '0', held: '30', resetsAt } } },
    });
  });

  test('is told that its gas budget is not known while the store is away, and all else', async () => {
    const away = { ...createMemoryStore(), gasAllowance: () => Promise.reject(new StoreUnavailableError()) };
    expect(await view(null, 100, away)).toMatchObject({
      data: { viewer: { id: 'client:web', gas: null } },
      errors: [{ path: ['viewer', 'gas'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } }],
    });
  });

  test('is looked for once in an operation, under however many names', async () => {
    const looks: string[] = [];
    const memory = createMemoryStore();
    const gasAllowance: typeof memory.gasAllowance = (...args) => {
      looks.push('gas');
      return memory.gasAllowance(...args);
    };
    const peek = async () => {
      looks.push('rate');
      return null;
    };
    const source = '{ a: viewer { x: gas { limit } y: gas { held } } b: viewer { gas { limit } } }';
    expect(await view(null, 100, { ...memory, gasAllowance }, { source, peek })).toEqual({
      data: { a: { x: { limit: '100' }, y: { held: '0' } }, b: { gas: { limit: '100' } } },
    });
    expect(looks.sort()).toEqual(['gas', 'rate']);
  });

  test('is looked for with ten senders at most in an operation', async () => {
    let looks = 0;
    const memory = createMemoryStore();
    const gasAllowance: typeof memory.gasAllowance = (...args) => {
      looks += 1;
      return memory.gasAllowance(...args);
    };
    const fields = Array.from({ length: 30 }, (_, index) => `g${index}: gas(sender: "0x${index}") { limit }`);
    const source = `{ viewer { ${fields.join(' ')} } }`;
    const { data, errors } = await view(null, 100, { ...memory, gasAllowance }, { source });
    expect(looks).toBe(10);
    expect(data).toMatchObject({ viewer: { g9: { limit: '100' }, g10: null } });
    expect(errors?.[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT', argument: 'sender' } });
  });

  test('has no rate without a limit', async () => {
    expect(await view(null)).toMatchObject({ data: { viewer: { rate: null } } });
  });
});
