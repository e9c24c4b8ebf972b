import { readFileSync } from 'node:fs';
import { delegateToSchema, type SubschemaConfig } from '@graphql-tools/delegate';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { stitchSchemas } from '@graphql-tools/stitch';
import type { ExecutionRequest, ExecutionResult, Executor } from '@graphql-tools/utils';
import {
  buildClientSchema,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  OperationTypeNode,
  print,
} from 'graphql';
import { Pool } from 'undici';
import type { SponsorCoin } from './sponsor-answers.ts';

/** Ledger and sponsor stitched without any care for speed. */
export async function createNaiveSchema(upstreamUrl: string, projectRoot: string): Promise<GraphQLSchema> {
  const pool = new Pool(upstreamUrl, { connections: 128 });
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const response = await pool.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', authorization: 'Bearer bench' },
      body: JSON.stringify(body),
    });
    return response.body.json();
  };

  const executor = (async ({ document, variables }: ExecutionRequest) =>
    (await post('/graphql', { query: print(document), variables })) as ExecutionResult) as Executor;
  const introspected = (await post('/graphql', { query: getIntrospectionQuery() })) as { data: IntrospectionQuery };
  const ledger: SubschemaConfig = { schema: buildClientSchema(introspected.data), executor };

  const own = makeExecutableSchema({
    typeDefs: [
      'scalar UInt53 scalar BigInt scalar Base64 scalar DateTime scalar JSON',
      readFileSync(`${projectRoot}/schema/sponsor.graphql`, 'utf8'),
    ],
    resolvers: {
      Query: { sponsor: () => ({}) },
      Sponsor: { health: async () => (await pool.request({ method: 'GET', path: '/' })).body.json() },
      Mutation: {
        reserveGas: async (_parent: unknown, args: { gasBudget: number; reserveDurationSecs: number }) => {
          const body = { gas_budget: args.gasBudget, reserve_duration_secs: args.reserveDurationSecs };
          const { result } = (await post('/v1/reserve_gas', body)) as SponsorReservation;
          return {
            reservationId: String(result.reservation_id),
            sponsorAddress: result.sponsor_address,
            gasBudget: args.gasBudget,
            gasCoins: result.gas_coins,
            expiresAt: new Date(Date.now() + args.reserveDurationSecs * 1000).toISOString(),
            secondsLeft: args.reserveDurationSecs,
            state: 'ACTIVE',
          };
        },
      },
    },
  });

  return stitchSchemas({
    subschemas: [{ schema: own }, ledger],
    typeDefs: 'extend type ReservedGasCoin { object: Object }',
    resolvers: {
      ReservedGasCoin: {
        object: {
          selectionSet: '{ objectId version }',
          resolve: (coin: SponsorCoin, _args: unknown, context: Record<string, unknown>, info: GraphQLResolveInfo) =>
            delegateToSchema({
              schema: ledger,
              operation: OperationTypeNode.QUERY,
              fieldName: 'object',
              args: { address: coin.objectId, version: coin.version },
              context,
              info,
            }),
        },
      },
    },
  });
}

interface SponsorReservation {
  readonly result: {
    readonly reservation_id: number;
    readonly sponsor_address: string;
    readonly gas_coins: readonly SponsorCoin[];
  };
}
