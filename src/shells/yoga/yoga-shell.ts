import type { GraphQLError } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Config } from '../../config/config.ts';
import type { AdmitOperation } from '../../operation/admit-operation.ts';
import type { OperationRunner } from '../../operation/operation-runner.ts';
import type { ServedGeneration } from '../../operation/prepared-operation.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import { useAdmission } from './use-admission.ts';
import { useExactNumbers } from './use-exact-numbers.ts';
import { useOperation } from './use-operation.ts';
import { useRequestErrors } from './use-request-errors.ts';

export interface YogaShellOptions {
  readonly maxBatchSize: Config['limits']['maxBatchSize'];
  readonly keeper: { readonly current: ServedGeneration };
  readonly admit: AdmitOperation;
  readonly runner: Pick<OperationRunner, 'run'>;
  readonly maskError: (error: unknown) => GraphQLError;
}

export const graphqlPath = '/graphql';

/** The GraphQL server without its listener: health, CORS, GraphiQL and body bounds are the listener's. */
export function createYogaShell({ maxBatchSize, keeper, admit, runner, maskError }: YogaShellOptions) {
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

      // the operation: its life, whose answer leaves by Yoga
      useOperation(runner),
    ],
  });
}
