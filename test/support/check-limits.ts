import { checkDocument, type LimitRefusal, type Limits } from '../../src/documents/cost/limits.ts';
import type { MeasuredDocument } from '../../src/documents/cost/measure-document.ts';
import type { Variables } from '../../src/documents/cost/usage.ts';
import { checkVariables } from '../../src/documents/prepared-document.ts';

/**
 * The first limit, in the ledger's order, that a parsed document exceeds with these variables, or `null`.
 * The gateway itself checks in two steps, one per document and one per request.
 */
export function checkLimits(measured: MeasuredDocument, variables: Variables, limits: Limits): LimitRefusal | null {
  return checkDocument(measured, limits) ?? checkVariables(measured, variables, limits);
}
