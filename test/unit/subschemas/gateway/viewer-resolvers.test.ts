import { graphql } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { Quota } from '../../../../src/admission/rate-limiter.ts';
import { createViewerResolvers } from '../../../../src/subschemas/gateway/viewer-resolvers.ts';
import { createCancellation } from '../../../../src/transport/cancellation.ts';
import { createOwnSchema } from '../../../support/own-schema.ts';
import { toTestCaller } from '../../../support/test-caller.ts';

const query = '{ viewer { id kind scopes rate { limit remaining held resetsAt } gas { limit } } }';

const view = (quota: Quota | null) =>
  graphql({
    schema: createOwnSchema(createViewerResolvers({ peek: async () => quota })),
    source: query,
    contextValue: {
      requestId: 'r',
      cancellation: createCancellation(),
      caller: toTestCaller({ id: 'client:web', kind: 'API_KEY', scopes: new Set(['read', 'admin']) }),
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

  test('has no rate without a limit', async () => {
    expect(await view(null)).toMatchObject({ data: { viewer: { rate: null } } });
  });
});
