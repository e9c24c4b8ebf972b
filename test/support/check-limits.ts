import { checkDocument } from '../../src/limits/check-document.ts';
import { checkVariables } from '../../src/limits/check-variables.ts';
import type { Limits } from '../../src/limits/limits.ts';
import type { MeasuredDocument } from '../../src/limits/measure-document.ts';
import type { LimitRefusal } from '../../src/limits/refusal.ts';
import type { Variables } from '../../src/limits/variables.ts';

/**
 * The first bound, in the ledger's order, that a parsed document breaks with these variables; `null` when it breaks none.
 * The gateway itself checks in two steps, one per document and one per request.
 */
export function checkLimits(measured: MeasuredDocument, variables: Variables, limits: Limits): LimitRefusal | null {
  return checkDocument(measured, limits) ?? checkVariables(measured, variables, limits);
}
