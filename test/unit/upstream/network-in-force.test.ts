import { describe, expect, it } from 'vitest';
import { NetworkInForce, type NetworkReport } from '../../../src/upstream/network-in-force.ts';

/** @returns the eras that begin with a sequence of reports */
function erasOf(reports: readonly NetworkReport[]): number {
  const inForce = new NetworkInForce();
  let begun = 0;
  inForce.onNewEra(() => {
    begun += 1;
  });
  let era = 0;
  for (const each of reports) era = inForce.report(each);
  expect([inForce.era, begun]).toEqual([era, era]);
  return era;
}

const none: NetworkReport = { network: null, newest: null };
/** Checkpoints of a network that has four a second. */
const of =
  (network: string, beganMs: number) =>
  (newest: number): NetworkReport => ({ network, newest, newestMs: beganMs + 250 * newest });
const [a, b, again] = [of('a', 0), of('b', 0), of('a', 250 * 6_000)];
const withoutTime = (report: NetworkReport) => ({ ...report, newestMs: null });

it.each<[string, readonly NetworkReport[], number]>([
  ['the same network goes on', [a(5_000), a(5_001)], 0],
  ['nothing was known before', [a(5_000)], 0],
  ['another network takes its place', [a(5_000), b(5_001)], 1],
  ['the same network begins again', [a(5_000), again(12)], 1],
  ['a young network begins again', [a(40), again(12)], 1],
  ['the same network begins again, as some nodes show before others', [a(5_000), again(12), again(9), again(13)], 1],
  ['a node lags', [a(5_000), a(4_100), a(5_000)], 0],
  ['a node is still catching up', [a(5_000), a(12), a(5_001), a(13)], 0],
  ['the only node is replaced by one that has to catch up', [a(5_000), a(12), a(2_000), a(4_999), a(5_001)], 0],
  ['the network begins again after a node lagged', [a(5_000), a(12), again(13)], 1],
  ['nothing is said for a while', [a(5_000), none, a(5_100)], 0],
  ['another one follows a silence', [a(5_000), none, b(9)], 1],
])('an era ends if %s', (_, reports, eras) => {
  expect(erasOf(reports)).toBe(eras);
});

describe('without times', () => {
  it.each<[string, readonly NetworkReport[], number]>([
    ['the same network begins again', [a(5_000), again(12)], 1],
    ['a node lags', [a(5_000), a(4_100)], 0],
    ['a node of a young network lags', [a(900), a(3)], 0],
  ])('an era ends if %s', (_, reports, eras) => {
    expect(erasOf(reports.map(withoutTime))).toBe(eras);
  });
});
