/**
 * How many times as many cases as usual are tried, where cases are drawn at random or are all combinations of something:
 * 1 in `npm test`, 20 in `npm run chaos`.
 */
export const chaos = Number(process.env.CHAOS ?? 1);

/** The number of cases to try, where `npm test` tries `usual` of them. */
export const runs = (usual: number): number => Math.ceil(usual * chaos);
