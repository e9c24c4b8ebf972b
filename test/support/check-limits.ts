import { checkDocument } from './check-document.ts';
import { checkVariables } from './check-variables.ts';
import type { Limits } from './limits.ts';
import type { MeasuredDocument } from './measure-document.ts';
import type { Refusal } from './refusal.ts';
import type { Variables } from './variables.ts';

/**
 * The first bound, in the ledger's order, that a parsed document is over with these variables: nesting, directives, unknown
 * fragments, depth and nodes, transaction payload, query text, output nodes. `null`: it may go on to validation.
 */
export function checkLimits(measured: MeasuredDocument, variables: Variables, limits: Limits): Refusal | null {
  return checkDocument(measured, limits) ?? checkVariables(measured, variables, limits);
}
