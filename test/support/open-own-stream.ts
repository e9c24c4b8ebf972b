import { type GraphQLSchema, getOperationAST, parse } from 'graphql';
import { fragmentsOf } from '../../src/documents/selections.ts';
import { createCoerceVariables } from '../../src/engine/coerce-variables.ts';
import { createExecuteOwn } from '../../src/operation/execute-own.ts';
import type { ItemStream } from '../../src/operation/prepared-operation.ts';
import type { ResultTexts } from '../../src/operation/subscriptions/result-stream.ts';
import { createOpenStream } from '../../src/operation/subscriptions/run-stream.ts';
import type { OperationContext } from '../../src/upstream/operation-context.ts';

/** Prepares a subscription of a schema of ours. The returned function opens it with the variables of a request. */
export function prepareOwnStream(schema: GraphQLSchema, text: string, printed: ResultTexts) {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('no operation');
  const fragments = fragmentsOf(document);
  const execute = createExecuteOwn({ schema, ownSchema: schema, operation, fragments, joins: null });
  const open = createOpenStream({ schema, operation, fragments, execute, printed });
  const coerce = createCoerceVariables(schema, operation, () => operation);
  return async (sent: Readonly<Record<string, unknown>>, context: OperationContext): Promise<ItemStream> => {
    const { values } = coerce(sent);
    const opened = values ? await open({ sent, values }, context) : {};
    if (!('items' in opened)) throw new Error('the stream was refused');
    return opened;
  };
}
