import { buildSchema, type ExecutionResult, GraphQLError, introspectionFromSchema, print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
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
async function ask(
  answer: (text: string) => Promise<ExecutionResult>,
  sdl = typeDefs,
  names = networkProfiles.ledger.serviceConfig,
) {
  const asked: string[] = [];
  const execute = ({ document }: { document: unknown }) => {
    const text = print(document as Parameters<typeof print>[0]).replace(/\s+/g, ' ');
    asked.push(text);
    return answer(text);
  };
  return { ...(await fetchLedgerService(execute, introspectionFromSchema(buildSchema(sdl)), names)), asked };
}
const says = (serviceConfig: unknown, errors?: GraphQLError[]) => () =>
  Promise.resolve({ data: { serviceConfig }, ...(errors && { errors }) });

describe('what a ledger says of its service', () => {
  it('is asked for by the fields it has, and as shipped where it says nothing usable', async () => {
    const answer = says({ maxQueryDepth: 7, requestTimeoutMs: -1, availableVersions: ['2026.11', 5] });
    expect(await ask(answer)).toEqual({
      service: {
        limits: { ...shippedLimits, maxQueryDepth: 7 },
        queryTimeoutMs: null,
        mutationTimeoutMs: null,
        pageSizes: {},
        maxMultiGetSize: null,
        availableVersions: ['2026.11'],
      },
      failure: null,
      asked: ['{ serviceConfig { maxQueryDepth requestTimeoutMs availableVersions } }'],
    });
  });

  it('is read under the name that the network has for it', async () => {
    const sdl =
      'type Query { serviceConfig: ServiceConfig } type ServiceConfig { requestTimeoutMs: Int queryTimeoutMs: Int }';
    const answer = says({ queryTimeoutMs: 7, requestTimeoutMs: 8 });
    expect((await ask(answer, sdl)).service.queryTimeoutMs).toBe(8);
    expect((await ask(answer, sdl, networkProfiles.sui.serviceConfig)).service.queryTimeoutMs).toBe(7);
  });

  it('lists page sizes of each connection where they depend on it, asked for in requests of at most 5,000 bytes', async () => {
    const fields = Array.from({ length: 45 }, (_, index) => `connectionWithQuiteALongNameOfItsOwn${index}`);
    const sdl = `
      type Query { serviceConfig: ServiceConfig other: Int ${fields.map((name) => `${name}: [AConnection!]!`).join(' ')} }
      type AConnection { a: Int }
      type ServiceConfig {
        maxMultiGetSize: Int
        defaultPageSize(type: String!, field: String!): Int maxPageSize(type: String!, field: String!): Int
      }`;
    const answer = (text: string) => {
      const sizes = [...text.matchAll(/(\w+): (default|max)PageSize\(\s*type: "Query",?\s+field: "\w+?(\d+)"/g)];
      const members = sizes.map(([, key = '', which, number]) => [key, Number(number) + (which === 'max' ? 100 : 1)]);
      return says({ maxMultiGetSize: 7, ...Object.fromEntries(members) })();
    };
    const { service, failure, asked } = await ask(answer, sdl);
    const expected = fields.map((name, index) => [`Query.${name}`, { usual: index + 1, max: index + 100 }]);
    expect([failure, service.maxMultiGetSize]).toEqual([null, 7]);
    expect(service.pageSizes).toEqual(Object.fromEntries(expected));
    expect(Math.max(...asked.map((query) => JSON.stringify({ query }).length))).toBeLessThan(5_000);
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
