import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Usage } from '../limits/usage.ts';
import { admitOperation, type OperationAdmission } from './admit-operation.ts';
import type { ServerContext } from './operation-run.ts';
import type { SchemaKeeper } from './schema-keeper.ts';

/**
 * Admits every operation before it is executed: its document within the limits, valid for the schema in force. What was
 * parsed and validated once is not parsed and validated again, and an operation runs on the generation it was admitted to.
 */
export function useAdmission(keeper: Pick<SchemaKeeper, 'current'>): Plugin<ServerContext> {
  const admissions = new WeakMap<object, OperationAdmission>();
  return {
    onParams({ params, context, setResult }) {
      const { query, variables } = params;
      // Anything but a string is the server library's to refuse.
      if (typeof query !== 'string' || query === '') return;
      const admission = admitOperation(keeper.current, query, variables ?? {});
      admissions.set(context, admission);
      if (admission.kind === 'refused') setResult({ errors: admission.errors.map(asRequestError) });
    },
    onEnveloped({ setSchema, context }) {
      setSchema(admitted(context)?.generation.schema ?? keeper.current.schema);
    },
    onParse({ setParsedDocument, context }) {
      const document = admitted(context)?.document;
      if (document) setParsedDocument(document);
    },
    onValidate({ setValidationFn, context }) {
      if (admitted(context)) setValidationFn(() => []);
    },
    onExecutionResult({ result, setResult, context }) {
      const usage = (context as Partial<ServerContext>).showUsage ? admissions.get(context)?.usage : null;
      if (!usage || !result || Symbol.asyncIterator in result) return;
      setResult(withUsage(result, usage));
    },
  };

  function admitted(context: object | null | undefined) {
    const admission = context && admissions.get(context);
    return admission?.kind === 'admitted' ? admission : undefined;
  }
}

export function withUsage<Result extends ExecutionResult>(result: Result, usage: Usage): Result {
  return { ...result, extensions: { ...result.extensions, usage } };
}

/** A request error: nothing was executed, and a strict client gets status 400. */
function asRequestError({ message, nodes, source, positions, path, extensions }: GraphQLError): GraphQLError {
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions: { ...extensions, http: { spec: true, status: 400 } },
  });
}
