import fc from 'fast-check';

/** Multiplies the number of randomized or combined cases: 1 normally, 20 in `npm run chaos`. */
export const chaos = Number(process.env.CHAOS ?? 1);

/** The number of cases to run, where a normal run has `usual`. */
export const runs = (usual: number): number => Math.ceil(usual * chaos);

/** Seed of the randomized cases: always the same normally, a new one each time in `npm run chaos`, or `SEED`. */
export const seed = Number(process.env.SEED ?? (chaos > 1 ? Date.now() % 2 ** 31 : 1));
fc.configureGlobal({ seed });

/** One of `parts` equal parts of the items, by turns for each `index`: `npm run chaos` combines each index with all items. */
export const partOf = <T>(items: readonly T[], parts: number, index: number): readonly T[] =>
  chaos > 1 ? items : items.filter((_, at) => at % parts === index % parts);
