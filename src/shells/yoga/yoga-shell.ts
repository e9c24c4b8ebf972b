import type { GraphQLError } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Config } from '../../config/config.ts';
import type { SchemaKeeper } from '../../graph/schema-keeper.ts';
import type { AdmitOperation } from '../../operation/admit-operation.ts';
import type { OpenOperation, ServerContext } from '../../operation/open-operation.ts';
import type { RunPlan } from '../../operation/run-plan.ts';
import { useAdmission } from './use-admission.ts';
import { useExactNumbers } from './use-exact-numbers.ts';
import { useOperation } from './use-operation.ts';
import { useRequestErrors } from './use-request-errors.ts';

export interface GatewayOptions {
  readonly maxBatchSize: Config['limits']['maxBatchSize'];
  readonly keeper: Pick<SchemaKeeper, 'current'>;
  readonly admit: AdmitOperation;
  readonly openOperation: OpenOperation;
  readonly runPlan: RunPlan;
  readonly maskError: (error: unknown) => GraphQLError;
}

export const graphqlPath = '/graphql';

/** The GraphQL server without its listener: health, CORS, GraphiQL and body bounds are the listener's. */
export function createGateway({ maxBatchSize, keeper, admit, openOperation, runPlan, maskError }: GatewayOptions) {
  return createYoga<ServerContext>({
    graphqlEndpoint: graphqlPath,
    landingPage: false,
    graphiql: false,
    healthCheckEndpoint: '/health/yoga',
    cors: false,
    logging: false,
    multipart: false,
    maxRequestBodySize: false,
    // It would keep a thousand documents of whatever size besides ours, and with them the generations they were made for.
    parserAndValidationCache: false,
    batching: maxBatchSize > 0 ? { limit: maxBatchSize } : false,
    // Its second argument is a text of the library's.
    maskedErrors: { maskError: (error) => maskError(error) },
    plugins: [
      // numbers, in and out, digit by digit
      useExactNumbers(),

      // the caller: identity, rate; the document: limits, validity, usage
      useAdmission(admit, keeper),

      // what the request itself got wrong; it was counted all the same
      useRequestErrors(),

      // the operation: deadline, errors
      useOperation(openOperation, runPlan),
    ],
  });
}
