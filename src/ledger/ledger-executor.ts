import {
  type DocumentNode,
  type ExecutionResult,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  stripIgnoredCharacters,
} from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import type { UpstreamCall } from '../upstream/upstream-call.ts';
import { toGatewayError } from '../upstream/upstream-call-error.ts';
import { attributeErrors } from './answers/attribute-errors.ts';
import { parseLedgerAnswer } from './answers/ledger-answer.ts';
import { foldDocument } from './fold-document.ts';
import { createToLedgerPost } from './ledger-post.ts';
import type { RpcVersion } from './rpc-version.ts';

/** A query that is text already, ready to be sent. */
export interface LedgerText {
  readonly text: string;
  /** Response keys at its root, in order. */
  readonly rootKeys: readonly string[];
}

export interface LedgerRequest {
  readonly document: DocumentNode | LedgerText;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | undefined;
  /** For merged requests: for each, in order, the key of its field in the client's answer. */
  readonly clientKeys?: readonly string[] | undefined;
  /** No mutation is sent once this is cancelled. One that was sent is never cut short: its outcome would be unknown. */
  readonly cancellation?: Cancellation | undefined;
}

/** Resolves with the ledger's answer; rejects with a catalogued error when there is none. */
export type LedgerExecutor = (request: LedgerRequest) => Promise<ExecutionResult>;

export interface LedgerExecutorOptions {
  readonly call: UpstreamCall;
  /** Path of the GraphQL endpoint, query string included. */
  readonly path: string;
  /** Response header that carries the build version, lower case. */
  readonly versionHeader: string;
  readonly version: RpcVersion;
  readonly timeouts: { readonly queryMs: number; readonly mutationMs: number };
}

/**
 * Sends documents to the ledger with their variables and nothing else: no header of the caller travels. The text is
 * sent without ignorable characters, since the ledger bounds its length in bytes.
 */
export function createLedgerExecutor({
  call,
  versionHeader,
  version,
  ...options
}: LedgerExecutorOptions): LedgerExecutor {
  const toPost = createToLedgerPost(options);
  return async ({ document, variables: given, operationName, clientKeys, cancellation }) => {
    const { text, variables, rootKeys, isMutation } = toWritten({ document, variables: given, operationName });
    try {
      const post = toPost(
        { queryJson: JSON.stringify(text), variables, operationName: null, isMutation },
        cancellation,
      );
      const response = await call(post);
      version.observe(response.headers.get(versionHeader));
      return attributeErrors(parseLedgerAnswer(response, null), rootKeys, clientKeys);
    } catch (error) {
      throw toGatewayError(error, 'ledger');
    }
  };
}

interface Written extends LedgerText {
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly isMutation: boolean;
}

function toWritten(request: Pick<LedgerRequest, 'document' | 'variables' | 'operationName'>): Written {
  if ('text' in request.document) {
    const { text, rootKeys } = request.document;
    return { text, rootKeys, variables: request.variables, isMutation: false };
  }
  const { document, variables } = foldDocument(request.document, request.variables);
  const operation = getOperationAST(document, request.operationName);
  if (operation?.operation === OperationTypeNode.SUBSCRIPTION) {
    throw gatewayError('NOT_CONFIGURED', "The ledger's subscriptions are not carried by this version of the gateway.", {
      upstream: 'ledger',
    });
  }
  return {
    text: stripIgnoredCharacters(print(document)),
    rootKeys: operation ? rootKeysOf(operation) : [],
    variables,
    isMutation: operation?.operation === OperationTypeNode.MUTATION,
  };
}

/** Response keys of the fields directly below a delegated operation. */
export function rootKeysOf({ selectionSet }: OperationDefinitionNode): string[] {
  return selectionSet.selections.flatMap((selection) =>
    selection.kind === Kind.FIELD ? [selection.alias?.value ?? selection.name.value] : [],
  );
}
