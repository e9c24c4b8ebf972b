import type { Plugin } from 'graphql-yoga';
import { withUsage } from '../../documents/cost/usage.ts';
import { toOutline } from '../../documents/document-tree.ts';
import { type AdmitOperation, asFinal } from '../../operation/admit-operation.ts';
import { parseRequest } from '../../operation/parse-request.ts';
import type { OperationAdmission, ServedGeneration } from '../../operation/prepared-operation.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import { toRequestError } from './use-request-errors.ts';

/**
 * Admits every operation before it is executed: its caller, and its document within the limits and valid. Yoga is given
 * what was parsed and validated, so that it does neither again, and the operation runs on the generation it was
 * admitted to.
 */
export function useAdmission(
  admit: AdmitOperation,
  keeper: { readonly current: ServedGeneration },
): Plugin<ServerContext> {
  return {
    async onParams({ params, context, setResult }) {
      const server = context as ServerContext;
      const admission = server.admission ?? (await admitParams(server, params));
      // Each entry of a batch has a context of its own.
      Object.assign(context, { admission } satisfies Partial<ServerContext>);
      if (admission.kind === 'refused') setResult({ errors: admission.errors });
    },
    onEnveloped({ setSchema, context }) {
      setSchema(admitted(context)?.operation.schema ?? keeper.current.schema);
    },
    onParse({ setParsedDocument, context }) {
      const operation = admitted(context)?.operation;
      if (operation) setParsedDocument(toOutline(operation.type, operation.name));
    },
    onValidate({ setValidationFn, context }) {
      if (admitted(context)) setValidationFn(() => []);
    },
    // Run operations carry their usage already; refused and failed ones get theirs here.
    onExecutionResult({ result, setResult, context }) {
      const { showUsage, admission } = context as Partial<ServerContext>;
      if (!showUsage || !admission || !result || Symbol.asyncIterator in result || result.extensions) return;
      setResult(withUsage(result, admission.usage));
    },
  };

  /** Throws for what is no GraphQL request: it is counted all the same. */
  async function admitParams(server: ServerContext, params: unknown): Promise<OperationAdmission> {
    let caller = server.takeCounted?.() ?? null;
    if (!caller) {
      const entry = await admit.enter(server);
      // Throwing ends the request here. Otherwise Yoga would look for mistakes in a request that is refused anyway.
      if (entry.kind === 'refused') throw asFinal(entry.error);
      caller = entry.caller;
    }
    const request = parseRequest(params);
    if (request.kind === 'request') return admit.decide(server, caller, request);
    throw toRequestError(request);
  }

  function admitted(context: object | null | undefined) {
    const admission = (context as Partial<ServerContext> | null | undefined)?.admission;
    return admission?.kind === 'admitted' ? admission : undefined;
  }
}
