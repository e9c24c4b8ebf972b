import type { GraphQLError } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Config } from '../../config/config.ts';
import type { AdmitOperation } from '../../operation/admit-operation.ts';
import type { FairTurns } from '../../operation/fair-turns.ts';
import type { OperationRunner } from '../../operation/operation-runner.ts';
import type { ServedGeneration } from '../../operation/prepared-operation.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import { useExactNumbers } from './use-exact-numbers.ts';
import { useOperation } from './use-operation.ts';
import { useRequestErrors } from './use-request-errors.ts';
import { useWholeAnswer } from './use-whole-answer.ts';

export interface YogaShellOptions {
  readonly maxBatchSize: Config['limits']['maxBatchSize'];
  readonly keeper: { readonly current: ServedGeneration };
  readonly admit: AdmitOperation;
  readonly runner: Pick<OperationRunner, 'run'>;
  readonly turns: Pick<FairTurns, 'run'>;
  readonly maskError: (error: unknown) => GraphQLError;
}

export type YogaShell = ReturnType<typeof createYogaShell>;

export const graphqlPath = '/graphql';

/** Yoga without a listener: `server` does health, CORS, GraphiQL and the bounds of bodies itself. */
export function createYogaShell({ maxBatchSize, keeper, admit, runner, turns, maskError }: YogaShellOptions) {
  return createYoga<ServerContext>({
    graphqlEndpoint: graphqlPath,
    landingPage: false,
    graphiql: false,
    healthCheckEndpoint: '/health/yoga',
    cors: false,
    logging: false,
    multipart: false,
    maxRequestBodySize: false,
    // Yoga would cache a thousand documents of any size beside ours, with the generations they were validated against.
    parserAndValidationCache: false,
    batching: maxBatchSize > 0 ? { limit: maxBatchSize } : false,
    // Not passed on directly: Yoga's second argument is a text of its own.
    maskedErrors: { maskError: (error) => maskError(error) },
    plugins: [
      // numbers, digit by digit
      useExactNumbers(),

      // the answer, in one piece
      useWholeAnswer(turns),

      // the operation: admitted, run, and how long its answer stays as it is
      useOperation(admit, runner, keeper),

      // errors of the request itself; it was counted all the same
      useRequestErrors(),
    ],
  });
}
