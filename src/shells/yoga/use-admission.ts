import type { Plugin } from 'graphql-yoga';
import { gatewayError } from '../../errors/gateway-error.ts';
import { withUsage } from '../../limits/usage.ts';
import { type AdmitOperation, asFinal, asRefusal, type OperationRequest } from '../../operation/admit-operation.ts';
import type { OperationAdmission } from '../../operation/operation-admission.ts';
import type { ServedGeneration } from '../../operation/prepared-operation.ts';
import type { ServerContext } from '../../operation/server-context.ts';

/** What an operation's context has besides, once it is decided about. Of a batch each operation has its own. */
export interface AdmittedContext {
  readonly admission?: OperationAdmission;
}

/**
 * Admits every operation before it is executed: its caller, and its document within the limits and valid. What was
 * parsed and validated once is not parsed and validated again, and an operation runs on the generation it was admitted to.
 */
export function useAdmission(
  admit: AdmitOperation,
  keeper: { readonly current: ServedGeneration },
): Plugin<ServerContext & AdmittedContext> {
  return {
    async onParams({ params, context, setResult }) {
      const server = context as ServerContext;
      const admission = server.begun?.admission ?? (await admitParams(server, params));
      if (!admission) return;
      Object.assign(context, { admission } satisfies AdmittedContext);
      if (admission.kind === 'refused') setResult({ errors: admission.errors });
    },
    onEnveloped({ setSchema, context }) {
      setSchema(admitted(context)?.operation.schema ?? keeper.current.schema);
    },
    onParse({ setParsedDocument, context }) {
      const document = admitted(context)?.operation.document;
      if (document) setParsedDocument(document);
    },
    onValidate({ setValidationFn, context }) {
      if (admitted(context)) setValidationFn(() => []);
    },
    // An operation that was run has its usage; what was refused, or failed, has not.
    onExecutionResult({ result, setResult, context }) {
      const { showUsage, admission } = context as Partial<ServerContext & AdmittedContext>;
      if (!showUsage || !admission || !result || Symbol.asyncIterator in result || result.extensions) return;
      setResult(withUsage(result, admission.usage));
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
    if (request) return admit.decide(server, caller, request);
    if (isHashAlone(params)) throw persistedQueryNotSupported();
    return null;
  }

  function admitted(context: object | null | undefined) {
    const admission = (context as AdmittedContext | null | undefined)?.admission;
    return admission?.kind === 'admitted' ? admission : undefined;
  }
}

/** Clients that persist queries look for this message or this code, and then send the text as well. */
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
