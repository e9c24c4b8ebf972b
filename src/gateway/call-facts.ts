import type { Config } from '../config/config.ts';
import type { CallFacts, PageArguments } from '../planning/count-upstream-calls.ts';
import { planPage } from '../subschemas/events/plan-page.ts';
import { maxItemsPerCall } from '../subschemas/events/wire.ts';
import { joins } from './joins.ts';

/** What decides about upstream calls, as this gateway is configured. */
export function toCallFacts(
  schemas: Pick<CallFacts, 'schema' | 'local'>,
  configured: CallFacts['configured'],
  pages: Config['pages'],
): CallFacts {
  return {
    ...schemas,
    configured,
    isJoin: (type, field) => joins.some((join) => join.type === type && join.field === field),
    pageCalls: (page) => countPageCalls(page, pages),
  };
}

/** Nodes give so many items at a time; a page that is refused asks none of them. */
function countPageCalls(page: PageArguments, pages: Config['pages']): number {
  try {
    return Math.ceil(planPage(page, pages).size / maxItemsPerCall);
  } catch {
    return 0;
  }
}
