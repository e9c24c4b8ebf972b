import { createYoga } from 'graphql-yoga';
import type { Config } from '../config/config.ts';
import { createMaskError } from '../errors/mask-error.ts';
import type { Caller } from '../subschemas/operation-context.ts';
import type { SchemaKeeper } from './schema-keeper.ts';
import { useAdmission } from './use-admission.ts';
import { type ServerContext, useOperation } from './use-operation.ts';
import { useRequestErrors } from './use-request-errors.ts';

export interface GatewayOptions {
  readonly config: Pick<Config, 'limits' | 'timeouts'>;
  readonly keeper: SchemaKeeper;
  readonly identify: (context: ServerContext) => Caller;
  readonly onMasked: (error: unknown) => void;
}

export const graphqlPath = '/graphql';

/** The GraphQL server without its listener: health, CORS, GraphiQL and body bounds are the listener's. */
export function createGateway({ config, keeper, identify, onMasked }: GatewayOptions) {
  return createYoga<ServerContext>({
    graphqlEndpoint: graphqlPath,
    landingPage: false,
    graphiql: false,
    healthCheckEndpoint: '/health/yoga',
    cors: false,
    logging: false,
    multipart: false,
    maxRequestBodySize: false,
    batching: config.limits.maxBatchSize > 0 ? { limit: config.limits.maxBatchSize } : false,
    maskedErrors: { maskError: createMaskError(onMasked) },
    plugins: [
      // what the request itself got wrong
      useRequestErrors(),

      // the document: limits, validity, usage
      useAdmission(keeper),

      // the operation: caller, deadline, errors
      useOperation({ identify, timeouts: config.timeouts }),
    ],
  });
}

export type Gateway = ReturnType<typeof createGateway>;
