import { expect, it } from 'vitest';
import { NetworkInForce } from '../../../src/upstream/network-in-force.ts';

it.each([
  ['the same network goes on', ['a', 5_000, 'a', 5_001], 0],
  ['nothing was known before', ['a', 5_000], 0],
  ['another network takes its place', ['a', 5_000, 'b', 5_001], 1],
  ['the same network begins again', ['a', 5_000, 'a', 12], 1],
  ['a node lags', ['a', 5_000, 'a', 4_100], 0],
  ['a node of a young network lags', ['a', 900, 'a', 3], 0],
  ['nothing is said for a while', ['a', 5_000, null, null, 'a', 5_100], 0],
  ['another one follows a silence', ['a', 5_000, null, null, 'b', 9], 1],
])('an era ends if %s', (_, reports, ended) => {
  const inForce = new NetworkInForce();
  let begun = 0;
  inForce.onNewEra(() => {
    begun += 1;
  });
  let era = 0;
  for (let index = 0; index < reports.length; index += 2)
    era = inForce.report({ network: reports[index] as string | null, newest: reports[index + 1] as number | null });
  expect([begun, inForce.era, era]).toEqual([ended, ended, ended]);
});
