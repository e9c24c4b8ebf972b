import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Usage } from '../limits/usage.ts';
import type { Caller } from '../subschemas/operation-context.ts';
import type { AdmitOperation, OperationAdmission } from './admit-operation.ts';
import type { Generation } from './generation.ts';
import type { ServerContext } from './operation-run.ts';
import type { SchemaKeeper } from './schema-keeper.ts';

/** What an admitted operation's context has besides. */
export interface AdmittedContext {
  readonly caller: Caller;
  readonly generation: Generation;
  /** The document as it came. */
  readonly text: string;
}

/**
 * Admits every operation before it is executed: its caller, and its document within the limits and valid. What was
 * parsed and validated once is not parsed and validated again, and an operation runs on the generation it was admitted to.
 */
export function useAdmission(admit: AdmitOperation, keeper: Pick<SchemaKeeper, 'current'>): Plugin<ServerContext> {
  const admissions = new WeakMap<object, OperationAdmission>();
  return {
    async onParams({ params, context, setResult }) {
      const { query, variables } = params;
      // Anything but a string is the server library's to refuse.
      const request = typeof query === 'string' && query !== '' ? { query, variables: variables ?? {} } : null;
      const admission = await admit(context as ServerContext, request);
      if (!admission) return;
      admissions.set(context, admission);
      if (admission.kind === 'refused') setResult({ errors: admission.errors });
      else {
        const { caller, generation } = admission;
        Object.assign(context, { caller, generation, text: query ?? '' } satisfies AdmittedContext);
      }
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
