import type { LivePage, Place } from './live-source.ts';

/**
 * What is wrong with a page that an upstream sent for what follows a place; `null` = it may be taken. Whatever of it were
 * taken would be out of order, or would be asked for again for ever.
 */
export function findPageFault(
  { entries, hasMore }: Pick<LivePage<unknown>, 'entries' | 'hasMore'>,
  from: Place | null,
): string | null {
  const last = entries.at(-1);
  if (!last) return hasMore ? 'is empty and says that there is more' : null;
  const keys = new Set(entries.map(({ key }) => key));
  if (keys.size < entries.length) return 'has an item twice';
  if (from && keys.has(from.key)) return 'does not advance';
  let latest = from?.timestampMs ?? null;
  for (const { timestampMs } of entries) {
    if (timestampMs !== null && latest !== null && timestampMs < latest) return 'is out of order';
    latest = timestampMs ?? latest;
  }
  return null;
}
