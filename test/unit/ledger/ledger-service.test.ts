import { buildSchema, type ExecutionResult, GraphQLError, introspectionFromSchema, print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { shippedLimits } from '../../../src/documents/cost/limits.ts';
import { fetchLedgerService, silentLedgerService } from '../../../src/ledger/ledger-service.ts';

const typeDefs = `
  type Query { serviceConfig: ServiceConfig }
  type ServiceConfig {
    maxQueryDepth: Int requestTimeoutMs: Int availableVersions: [String!] isEnabled: Boolean
    maxQueryNodes(of: Int): Int
  }
`;

/** Asks a ledger of that schema, which answers so. */
async function ask(answer: () => Promise<ExecutionResult>, sdl = typeDefs) {
  const asked: string[] = [];
  const execute = ({ document }: { document: unknown }) => {
    asked.push(print(document as Parameters<typeof print>[0]).replace(/\s+/g, ' '));
    return answer();
  };
  return { ...(await fetchLedgerService(execute, introspectionFromSchema(buildSchema(sdl)))), asked };
}
const says = (serviceConfig: unknown, errors?: GraphQLError[]) => () =>
  Promise.resolve({ data: { serviceConfig }, ...(errors && { errors }) });

describe('what a ledger says of its service', () => {
  it('is asked for by the fields it has, and as shipped where it says nothing usable', async () => {
    const answer = says({ maxQueryDepth: 7, requestTimeoutMs: -1, availableVersions: ['2026.11', 5] });
    expect(await ask(answer)).toEqual({
      service: {
        limits: { ...shippedLimits, maxQueryDepth: 7 },
        requestTimeoutMs: null,
        mutationTimeoutMs: null,
        availableVersions: ['2026.11'],
      },
      failure: null,
      asked: ['{ serviceConfig { maxQueryDepth requestTimeoutMs availableVersions } }'],
    });
  });

  it.each([
    ['no such field', 'type Query { a: Int } type ServiceConfig { maxQueryDepth: Int }'],
    ['no such type', 'type Query { serviceConfig: Int }'],
    ['nothing we know of', 'type Query { serviceConfig: ServiceConfig } type ServiceConfig { other: Int }'],
  ])('is nothing, and no failure, where it has %s', async (_, sdl) => {
    expect(await ask(() => Promise.reject(new Error('not asked')), sdl)).toEqual({
      service: silentLedgerService,
      failure: null,
      asked: [],
    });
  });

  it('is nothing, and no failure, where it says that it has none', async () => {
    expect(await ask(says(null))).toMatchObject({ service: silentLedgerService, failure: null });
  });

  it.each([
    ['it does not answer', () => Promise.reject(new Error('no answer in time')), shippedLimits.maxQueryDepth],
    [
      'it answers with an error',
      () => Promise.resolve({ data: null, errors: [new GraphQLError('no answer in time')] }),
      shippedLimits.maxQueryDepth,
    ],
    [
      'it answers in part',
      says({ maxQueryDepth: 7 }, [new GraphQLError('no answer in time', { path: ['serviceConfig', 'x'] })]),
      7,
    ],
  ])('is known to be missing when %s', async (_, answer, maxQueryDepth) => {
    const { service, failure } = await ask(answer);
    expect(service.limits.maxQueryDepth).toBe(maxQueryDepth);
    expect(failure).toMatchObject({
      message: 'The ledger did not answer for its limits: no answer in time',
      extensions: { code: 'UPSTREAM_BAD_RESPONSE', upstream: 'ledger' },
    });
  });
});
