import type { Plugin } from 'graphql-yoga';
import type { Generation } from '../../graph/generation.ts';
import type { SchemaKeeper } from '../../graph/schema-keeper.ts';
import { withUsage } from '../../limits/usage-extension.ts';
import {
  type AdmitOperation,
  asFinal,
  type OperationAdmission,
  type OperationRequest,
} from '../../operation/admit-operation.ts';
import { begunIn } from '../../operation/handover.ts';
import type { ServerContext } from '../../operation/open-operation.ts';
import type { Caller } from '../../subschemas/operation-context.ts';

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
      const admission = begunIn(context)?.admission ?? (await admitParams(context as ServerContext, params));
      if (!admission) return;
      admissions.set(context, admission);
      if (admission.kind === 'refused') setResult({ errors: admission.errors });
      else {
        const { caller, generation } = admission;
        Object.assign(context, { caller, generation, text: params.query ?? '' } satisfies AdmittedContext);
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

  /** `null` for what is no request at all, once it is counted: that is the server library's to refuse. */
  async function admitParams(server: ServerContext, params: unknown): Promise<OperationAdmission | null> {
    let caller = server.takeCounted?.() ?? null;
    if (!caller) {
      const entry = await admit.enter(server);
      // Thrown, it keeps the server library from finding fault with what nobody is to look at.
      if (entry.kind === 'refused') throw asFinal(entry.error);
      caller = entry.caller;
    }
    const request = toRequest(params);
    return request && admit.decide(server, caller, request);
  }

  function admitted(context: object | null | undefined) {
    const admission = context && admissions.get(context);
    return admission?.kind === 'admitted' ? admission : undefined;
  }
}

/** `null` where anything is not of its type; how that is said is not decided here. */
function toRequest(params: unknown): OperationRequest | null {
  if (typeof params !== 'object' || params === null) return null;
  const { query, variables, operationName } = params as Record<string, unknown>;
  if (typeof query !== 'string' || query === '') return null;
  if (operationName != null && typeof operationName !== 'string') return null;
  if (variables != null && (typeof variables !== 'object' || Array.isArray(variables))) return null;
  return {
    query,
    variables: (variables as OperationRequest['variables'] | null) ?? {},
    operationName: operationName ?? null,
  };
}
