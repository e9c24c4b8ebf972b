import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTestHub } from '../../support/live-hub.ts';
import { createMemorySource, settled } from '../../support/memory-source.ts';
import { pull } from '../../support/pushed-items.ts';
import { runs } from '../../support/runs.ts';

const names = (from: number, count: number) => Array.from({ length: count }, (_, index) => `n${from + index}`);
const bounds = { maxStreams: 6, maxStreamsPerCaller: 4, maxReaders: 3, maxReadersPerCaller: 2, replayBytes: 100_000 };

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      opens: fc.constantFrom('follows', 'reads by hand', 'is never ready'),
      caller: fc.constantFrom('a', 'b'),
      filter: fc.constantFrom('1', '2', '3', '4'),
      read: fc.constantFrom('everything' as const, 'own' as const, 'own only' as const),
      /** How many items before the newest one it begins; `null` = now. */
      back: fc.option(fc.integer({ min: 1, max: 120 })),
    }),
  },
  { weight: 3, arbitrary: fc.record({ leaves: fc.nat({ max: 9 }) }) },
  { weight: 3, arbitrary: fc.record({ passesMs: fc.constantFrom(0, 50, 400, 3_000) }) },
  { weight: 2, arbitrary: fc.record({ adds: fc.constantFrom(1, 30, 200) }) },
  { weight: 1, arbitrary: fc.record({ upstream: fc.constantFrom('answers', 'fails', 'is silent', 'forgets') }) },
);

it('streams that ended give back all that they took, whatever they and the upstream did', async () => {
  const steps = fc.array(step, { minLength: 12, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (all, isStopped) => {
      const source = createMemorySource(...names(1, 100));
      const { hub, clock, budget, payloads, open: openItems, byHand, follow } = createTestHub(source, bounds);
      const open: { return(value: undefined): Promise<unknown> }[] = [];
      let next = 101;
      for (const each of all) {
        if ('opens' in each) {
          const { filter, caller, read, back, opens } = each;
          const place = back === null ? undefined : (source.items.at(-back) ?? null);
          const after = place === undefined ? undefined : { last: place, from: place };
          try {
            if (opens === 'follows') open.push(follow(after, { filter, caller, read }).stream);
            else {
              const items = openItems(after, { filter, caller, read });
              const stream = pull(items);
              open.push(stream);
              if (opens === 'reads by hand') stream.next().catch(() => {});
              else items.pushTo({ isReady: false, take() {}, end() {}, fail() {} });
            }
          } catch (error) {
            // Over a limit: nothing is taken.
            expect(String(error)).toMatch(/Over the limit|at its limit/);
          }
        } else if ('leaves' in each) await open.splice(each.leaves % (open.length || 1), 1)[0]?.return(undefined);
        else if ('passesMs' in each) await clock.pass(each.passesMs);
        else if ('adds' in each) {
          source.add(...names(next, each.adds));
          next += each.adds;
        } else {
          if (each.upstream === 'forgets') source.items.splice(0, source.items.length / 2);
          source.before = () => {
            if (each.upstream === 'fails') throw new Error('away');
            return each.upstream === 'is silent' ? new Promise<void>(() => {}) : undefined;
          };
        }
      }
      if (isStopped) hub.stop();
      for (const stream of open) await stream.return(undefined);
      await settled();
      // The readers wait for clients that come back.
      await clock.pass(500);
      expect([hub.readers, clock.timers, budget.share(), payloads.share()]).toEqual([0, 0, 100_000, 4_096]);
      if (isStopped) return;
      const opens = (caller: string, filter: string) => {
        const stream = byHand(undefined, { caller, filter, read: 'own only' });
        void stream.next();
        return stream;
      };
      const again = [opens('a', '1'), opens('a', '2'), opens('b', '3')];
      again.push(opens('a', '1'), opens('a', '2'), opens('b', '3'));
      for (const caller of ['a', 'b']) expect(() => opens(caller, '3')).toThrow(/live streams/);
      // A reader that waits for clients is closed too.
      for (const stream of again.splice(2, 1)) await stream.return(undefined);
      await again.pop()?.return(undefined);
      hub.close();
      for (const stream of again) await stream.return(undefined);
      await settled();
      expect(clock.timers).toBe(0);
    }),
    { numRuns: runs(80) },
  );
});
