import type { Config } from '../config/config.ts';
import { joins } from '../joins/joins.ts';
import { countPageCalls } from '../limits/event-pages.ts';
import type { CallCounting } from './count-upstream-calls.ts';

/** What decides about upstream calls, as this gateway is configured. */
export function toCallCounting(
  schemas: Pick<CallCounting, 'schema' | 'local'>,
  configured: CallCounting['configured'],
  pages: Config['pages'],
): CallCounting {
  return {
    ...schemas,
    configured,
    isJoin: (type, field) => joins.some((join) => join.type === type && join.field === field),
    pageCalls: (page) => countPageCalls(page, pages),
  };
}
