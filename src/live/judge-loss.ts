import type { Cancellation } from '../upstream/cancellation.ts';
import type { LivePage, LiveSource, Place } from './live-source.ts';

/** What is known of a place that an upstream did not find. */
export type Loss<Item> =
  /** The upstream has dropped it. What it still has begins with this page. */
  | { readonly kind: 'gone'; readonly oldest: LivePage<Item> }
  /** It may come back: another node may know it. */
  | { readonly kind: 'unsure' };

/**
 * Asks for the oldest item there is. If even that is not older than the lost place, everything up to the place has been
 * dropped; if it is older, the place should be there, and is missing for another reason.
 */
export async function judgeLoss<Item>(
  lost: Place,
  source: Pick<LiveSource<Item>, 'after'>,
  cancellation: Cancellation,
): Promise<Loss<Item>> {
  const oldest = await source.after(null, cancellation);
  const [first] = oldest.entries;
  const isGone =
    first !== undefined &&
    first.key !== lost.key &&
    first.timestampMs !== null &&
    lost.timestampMs !== null &&
    first.timestampMs >= lost.timestampMs;
  return isGone ? { kind: 'gone', oldest } : { kind: 'unsure' };
}

export const goneReason = 'The upstream no longer keeps what was there.';
export const unknownReason = 'The upstream does not know the place to go on from. The stream goes on from now.';
export const awayReason =
  'The upstream did not answer when the stream was opened. What happened until now may be left out.';
