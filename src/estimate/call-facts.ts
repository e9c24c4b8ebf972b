import type { Config } from '../config/config.ts';
import { joins } from '../joins/joins.ts';
import { countPageCalls } from '../limits/event-pages.ts';
import type { CallFacts } from './count-upstream-calls.ts';

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
