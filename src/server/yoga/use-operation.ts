import type { Plugin } from 'graphql-yoga';
import { withUsage } from '../../documents/cost/usage.ts';
import { toOutline } from '../../documents/document-tree.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import { type AdmitOperation, asFinal } from '../../operation/admit-operation.ts';
import type { OperationRunner } from '../../operation/operation-runner.ts';
import { parseRequest } from '../../operation/parse-request.ts';
import type { OperationAdmission, ServedGeneration } from '../../operation/prepared-operation.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import { toRequestError } from './use-request-errors.ts';

/**
 * Admits every operation that was not admitted before Yoga, and runs it on the generation it was admitted to. Yoga is given an
 * outline of the document, so that it neither parses nor validates. Subscriptions were opened before Yoga, except for those in
 * a batch. A cacheable answer says so, and is not sent again to a client that has it.
 */
export function useOperation(
  admit: AdmitOperation,
  runner: Pick<OperationRunner, 'run'>,
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
    onSubscribe() {
      throw gatewayError(
        'BAD_REQUEST',
        'A subscription cannot be an entry of a batch: send it in a request of its own.',
      );
    },
    onExecute({ args, setExecuteFn }) {
      const server = args.contextValue as ServerContext;
      const admission = admitted(server);
      if (!admission) throw new Error('an operation is executed that was not admitted');
      setExecuteFn(() => runner.run(admission, server));
    },
    // Run operations carry their usage already; refused and failed ones get theirs here.
    onExecutionResult({ result, setResult, context }) {
      const { showUsage, admission } = context as Partial<ServerContext>;
      if (!showUsage || !admission || !result || Symbol.asyncIterator in result || result.extensions) return;
      setResult(withUsage(result, admission.usage));
    },
    onResponse({ response, serverContext, setResponse, fetchAPI }) {
      const { notes } = serverContext as Partial<ServerContext>;
      const isKnown = notes?.settle(response.status, response.headers.get('content-type'));
      if (isKnown) setResponse(new fetchAPI.Response(null, { status: 304 }));
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
