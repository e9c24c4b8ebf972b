import type { Plugin } from 'graphql-yoga';
import { withUsage } from '../../documents/cost/usage.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import { type AdmitOperation, asFinal, asRefusal, type OperationRequest } from '../../operation/admit-operation.ts';
import type { OperationAdmission } from '../../operation/operation-admission.ts';
import type { ServedGeneration } from '../../operation/prepared-operation.ts';
import type { ServerContext } from '../../operation/server-context.ts';

/** Added to the context of an operation when it is admitted; of a batch each operation has its own. */
export interface AdmittedContext {
  readonly admission?: OperationAdmission;
}

/**
 * Admits every operation before it is executed: its caller, and its document within the limits and valid. Yoga is given
 * what was parsed and validated, so that it does neither again, and the operation runs on the generation it was
 * admitted to.
 */
export function useAdmission(
  admit: AdmitOperation,
  keeper: { readonly current: ServedGeneration },
): Plugin<ServerContext & AdmittedContext> {
  return {
    async onParams({ params, context, setResult }) {
      const server = context as ServerContext;
      const admission = server.admitted ?? (await admitParams(server, params));
      if (!admission) return;
      Object.assign(context, { admission } satisfies AdmittedContext);
      if (admission.kind === 'refused') setResult({ errors: admission.errors });
    },
    onEnveloped({ setSchema, context }) {
      setSchema(admitted(context)?.operation.schema ?? keeper.current.schema);
    },
    onParse({ setParsedDocument, context }) {
      const operation = admitted(context)?.operation;
      if (operation) setParsedDocument(operation.outline());
    },
    onValidate({ setValidationFn, context }) {
      if (admitted(context)) setValidationFn(() => []);
    },
    // Run operations carry their usage already; refused and failed ones get theirs here.
    onExecutionResult({ result, setResult, context }) {
      const { showUsage, admission } = context as Partial<ServerContext & AdmittedContext>;
      if (!showUsage || !admission || !result || Symbol.asyncIterator in result || result.extensions) return;
      setResult(withUsage(result, admission.usage));
    },
  };

  /** `null` if it is no GraphQL request: it is counted, and Yoga refuses it. */
  async function admitParams(server: ServerContext, params: unknown): Promise<OperationAdmission | null> {
    let caller = server.takeCounted?.() ?? null;
    if (!caller) {
      const entry = await admit.enter(server);
      // Throwing ends the request here. Otherwise Yoga would look for mistakes in a request that is refused anyway.
      if (entry.kind === 'refused') throw asFinal(entry.error);
      caller = entry.caller;
    }
    const request = toRequest(params);
    if (request) return admit.decide(server, caller, request);
    if (isHashAlone(params)) throw persistedQueryNotSupported();
    return null;
  }

  function admitted(context: object | null | undefined) {
    const admission = (context as AdmittedContext | null | undefined)?.admission;
    return admission?.kind === 'admitted' ? admission : undefined;
  }
}

/** Clients with persisted queries look for this message or this code, and then send the text too. */
const persistedQueryNotSupported = () =>
  asRefusal(gatewayError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported'));

/** Does a request name its document by a hash and leave the text out? */
function isHashAlone(params: unknown): boolean {
  const { query, extensions } = (params ?? {}) as { readonly query?: unknown; readonly extensions?: unknown };
  return (
    (query == null || query === '') &&
    typeof extensions === 'object' &&
    extensions !== null &&
    'persistedQuery' in extensions
  );
}

/** `null` if a member has the wrong type: Yoga says so in its own words. */
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
