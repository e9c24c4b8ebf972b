import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ChannelPosition, LiveChannel } from '../../../src/live/channel.ts';
import type { Feed } from '../../../src/live/feed.ts';
import { Timeline } from '../../../src/live/timeline.ts';
import { Turns } from '../../../src/upstream/fair-turns.ts';
import { createEvenShares } from '../../../src/upstream/quota.ts';

const matches = (item: string) => item.endsWith('+');

it('each follower reads every matching item in order, or the number of those that were dropped, once', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ add: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }) }) },
    { weight: 1, arbitrary: fc.record({ keep: fc.nat({ max: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ begin: fc.nat({ max: 9 }) }) },
    { weight: 3, arbitrary: fc.record({ read: fc.nat({ max: 3 }), times: fc.nat({ max: 4 }) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 30, maxLength: 60 }), fc.boolean(), (steps, isMatchedAtOnce) => {
      const turns = new Turns();
      const feed = new Timeline<string>(turns);
      feed.beginAt([null]);
      const presenter = {
        toCursor: JSON.stringify,
        matches,
        item: ({ item }: { item: string }) => item,
        gap: () => '',
        missed: () => '',
      };
      const made = createEvenShares({ total: 3, least: 1 });
      const channel = new LiveChannel<string, string>(feed as Feed<string>, presenter, { turns, made });
      const all: string[] = [];
      let start = 0;
      let unmatchedFrom = 0;
      const counts: boolean[] = [];
      const catchUp = () => {
        for (; unmatchedFrom < all.length; unmatchedFrom += 1) counts.push(matches(all[unmatchedFrom] as string));
      };
      const followers: { readonly position: ChannelPosition; next: number }[] = [];
      for (const each of steps) {
        if ('add' in each) {
          for (const isMatch of each.add) {
            const item = `${all.push('') - 1}${isMatch ? '+' : '-'}`;
            all[all.length - 1] = item;
            feed.addNext({ key: item, timestampMs: null, item, bytes: 0 });
          }
        } else if ('keep' in each) {
          // A feed drops nothing before its channels have matched it.
          catchUp();
          channel.wake();
          feed.shrinkTo(each.keep * 400);
          start = Math.max(start, all.length - each.keep);
        } else if ('begin' in each) {
          catchUp();
          const next = Math.max(start, all.length - each.begin);
          followers.push({ position: channel.positionAt(next), next });
          channel.followers.add({ wake() {} });
        } else if (followers.length > 0) {
          const follower = followers[each.read % followers.length] as (typeof followers)[number];
          for (let time = 0; time < each.times; time += 1) {
            catchUp();
            const missed = counts.slice(follower.next, start).filter(Boolean).length;
            follower.next = Math.max(follower.next, start);
            let expected: string | number | null = missed;
            if (missed === 0) {
              while (follower.next < all.length && !counts[follower.next]) follower.next += 1;
              expected = all[follower.next] ?? null;
              if (expected !== null) follower.next += 1;
            }
            const read = channel.read(follower.position);
            expect(typeof read === 'object' && read ? read.payload : read).toBe(expected);
          }
        }
        if (!isMatchedAtOnce) continue;
        catchUp();
        channel.wake();
      }
    }),
    { numRuns: 150 },
  );
});

it('a channel that is closed is not woken by its feed', () => {
  const turns = new Turns();
  const feed = new Timeline<string>(turns);
  feed.beginAt([null]);
  let asked = 0;
  const presenter = {
    toCursor: JSON.stringify,
    matches: () => ++asked > 0,
    item: () => '',
    gap: () => '',
    missed: () => '',
  };
  const made = createEvenShares({ total: 3, least: 1 });
  const [, closes] = [0, 1].map(
    () => new LiveChannel<string, string>(feed as Feed<string>, presenter, { turns, made }),
  );
  closes?.close();
  feed.addNext({ key: 'a', timestampMs: null, item: 'a', bytes: 0 });
  void feed.wakeFollowers();
  expect(asked).toBe(1);
});
