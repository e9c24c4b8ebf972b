import type { LivePage, LiveSource, Place } from './live-source.ts';
import type { PageJudge } from './page-judge.ts';
import type { Asker, SharedCalls } from './shared-calls.ts';

/** What a query of the upstream has behind a place, for streams that are not live yet. */
export interface History<Item> {
  /** Of all pages that are read with this query. */
  readonly judge: PageJudge;
  /** Read once for all streams that stand there. */
  pageAfter(place: Place | null, asker: Asker): Promise<LivePage<Item>>;
}

/** @param query the same text for the same query */
export function createHistory<Item>(
  query: string,
  source: LiveSource<Item>,
  { calls, judge }: { readonly calls: SharedCalls<LivePage<Item>>; readonly judge: PageJudge },
): History<Item> {
  return {
    judge,
    pageAfter: (place, asker) =>
      calls.get(`${query}\n${place?.key ?? ''}`, (shared) => source.after(place, shared), asker),
  };
}
