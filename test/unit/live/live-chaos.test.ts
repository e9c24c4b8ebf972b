import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LivePage, WatchAttempt } from '../../../src/live/live-source.ts';
import { createTestHub, type Following } from '../../support/live-hub.ts';
import { createMemorySource, settled } from '../../support/memory-source.ts';
import { runs } from '../../support/runs.ts';

const numRuns = runs(40);

/** What an upstream does wrong, once. */
const faults = {
  refuses: () => {
    throw new Error('away');
  },
  answersLate: () => settled(),
};

/** What goes on for longer than 5 s is taken for the upstream's own order, however many faults it is made of. */
const isSpoilt = (nowMs: number) => nowMs % 8_000 < 4_000;

const spoilings: Readonly<Record<string, (page: LivePage<string>) => LivePage<string>>> = {
  answersInReverse: (page) => ({ ...page, entries: page.entries.toReversed() }),
  repeatsAnItem: (page) => ({ ...page, entries: [...page.entries, ...page.entries.slice(0, 1)] }),
  hasNotHeardOfTheNewest: (page) => ({ entries: page.entries.slice(0, -2), hasMore: false }),
  isEmpty: () => ({ entries: [], hasMore: false }),
  answersLittle: (page) => ({ entries: page.entries.slice(0, 3), hasMore: page.entries.length > 3 || page.hasMore }),
};

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('happen' as const), count: fc.integer({ min: 1, max: 80 }) }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 3_000 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('fail' as const), how: fc.constantFrom(...Object.keys(faults)) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('spoil' as const), how: fc.constantFrom(...Object.keys(spoilings)) }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('heal' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({ does: fc.constant('say' as const), what: fc.constantFrom('up', 'news', 'lost', 'refused') }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('leave' as const), who: fc.nat(3) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('return' as const), who: fc.nat(3) }) },
);

it('tells everybody everything once, in order, whatever an upstream does wrong and whenever they leave and come back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), fc.boolean(), async (steps, isWatched) => {
      // Two of the clients want a part. One of them has a reader of its own, the other one the reader of everything.
      const { clock, source, follow, hub } = createTestHub(createMemorySource('n1'), { maxReadersPerCaller: 1 });
      // Whoever tells of news may tell of what is not, keep silent of what is, and go.
      let telling: WatchAttempt | null = null;
      const listen = (attempt: WatchAttempt) => {
        telling = attempt;
        return () => {};
      };
      if (isWatched) Object.assign(source, { listen });
      const say = (what: string, attempt: WatchAttempt | null) => {
        if (what === 'up') attempt?.up();
        else if (what === 'news') attempt?.news();
        else attempt?.down(what === 'refused');
      };
      let happened = 1;
      // Each has what it was told before it left, and what its stream tells it now.
      const clients = ['', '', '3', '7'].map((filter) => ({ filter, told: ['n1'], now: null as Following | null }));
      const heal = () => {
        source.before = () => {};
        source.spoil = (page) => page;
      };
      const leave = async (client: (typeof clients)[number]) => {
        if (!client.now) return;
        await client.now.leave();
        client.told.push(...client.now.told);
        client.now = null;
      };
      const start = { key: 'n1', timestampMs: source.items[0]?.timestampMs ?? null };
      const comeBack = (client: (typeof clients)[number]) => {
        const last = client.told.at(-1) ?? '';
        const options = { filter: client.filter, ...(client.filter !== '' && { read: 'own' as const }) };
        client.now ??= follow(last === 'n1' ? { last: start, from: start } : last, options);
      };
      for (const each of steps) {
        if (each.does === 'happen') {
          source.add(...Array.from({ length: each.count }, (_, index) => `n${happened + index + 1}`));
          happened += each.count;
        } else if (each.does === 'pass') await clock.pass(each.ms);
        else if (each.does === 'fail') source.before = faults[each.how as keyof typeof faults];
        else if (each.does === 'spoil') {
          const spoil = spoilings[each.how] as (typeof source)['spoil'];
          source.spoil = (page) => (isSpoilt(clock.now()) ? spoil(page) : page);
        } else if (each.does === 'heal') heal();
        else if (each.does === 'say') say(each.what, telling);
        else if (each.does === 'leave') await leave(clients[each.who] as (typeof clients)[number]);
        else comeBack(clients[each.who] as (typeof clients)[number]);
      }
      heal();
      for (const client of clients) comeBack(client);
      await clock.pass(60_000);
      for (const client of clients) await leave(client);
      const all = Array.from({ length: happened }, (_, index) => `n${index + 1}`);
      for (const { filter, told } of clients) {
        expect(told.slice(1)).toEqual(all.slice(1).filter((name) => name.includes(filter)));
      }
      await clock.pass(1_000);
      expect([hub.readers, clock.timers]).toEqual([0, 0]);
    }),
    { numRuns },
  );
});
