import type { ASTNode, GraphQLError } from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { LimitName, Limits } from './limits.ts';

/** Why a document is refused. */
export interface LimitRefusal {
  readonly error: GraphQLError;
  /** The document was counted to its end, so the answer can show usage. */
  readonly hasUsage: boolean;
}

export interface BrokenLimit {
  readonly name: LimitName | 'maxEventCalls' | 'maxNesting';
  readonly max: number;
  readonly actual: number;
}

/** Refuses for a limit that the ledger checks after counting, so usage is shown. */
export function countedRefusal(message: string, limit: BrokenLimit, node?: ASTNode): LimitRefusal {
  return { error: gatewayError('BAD_USER_INPUT', message, { limit }, at(node)), hasUsage: true };
}

/** Refuses for a reason that the ledger finds before counting, so no usage is shown. */
export function uncountedRefusal(message: string, node?: ASTNode): LimitRefusal {
  return { error: gatewayError('BAD_USER_INPUT', message, {}, at(node)), hasUsage: false };
}

/** Refuses too many bytes. The message ends like the ledger's, with both allowances. */
export function payloadRefusal(message: string, limit: BrokenLimit, limits: Limits): LimitRefusal {
  const allowances =
    `Requests are limited to ${limits.maxTransactionPayloadSize} bytes or fewer on transaction payloads ` +
    '(all inputs to executeTx, executeTransactionBlock or dryRunTransactionBlock) and the rest of the request ' +
    `(the query part) must be ${limits.maxQueryPayloadSize} bytes or fewer.`;
  return { error: gatewayError('BAD_USER_INPUT', `${message}. ${allowances}`, { limit }), hasUsage: false };
}

function at(node: ASTNode | undefined): { nodes?: readonly ASTNode[] } {
  return node ? { nodes: [node] } : {};
}

/**
 * Levels of selection sets below an operation's, and of lists and objects in a value: the bound of the ledger's parser.
 * Spreads are followed, so a fragment that contains itself is over it.
 */
export const maxNesting = 32;

/** @param actual levels that were counted; a fragment that contains itself has as many as can be */
export function nestingRefusal(actual: number): LimitRefusal {
  const message = `The recursion depth of the query cannot be greater than \`${maxNesting}\``;
  const limit = { name: 'maxNesting', max: maxNesting, actual } as const;
  return { error: gatewayError('BAD_USER_INPUT', message, { limit }), hasUsage: false };
}
