import { expect, test } from 'vitest';
import { formatSample, formatSoak, judgeSoak, type SoakResult, type SoakSample } from '../../bench/soak/soak-report.ts';

const sample = (given: Partial<SoakSample> = {}): SoakSample => ({
  requests: 500,
  elapsedMs: 1_000,
  errors: 0,
  faults: [],
  p50Ms: 1,
  p99Ms: 5,
  behind: 0,
  atSeconds: 1,
  rssMib: 100,
  openFiles: 40,
  gatewayCores: 0.5,
  elsewhereCores: 0.1,
  generation: 0,
  ...given,
});

const result = (given: Partial<SoakResult> = {}): SoakResult => ({
  capacityPerSecond: 555,
  pacedPerSecond: 500,
  settledAfterSeconds: 30,
  samples: [sample(), sample(), sample(), sample()],
  perWindow: 1,
  generations: 0,
  errors: 0,
  faults: [],
  ...given,
});

const verdictOn = (given: Partial<SoakResult>) => judgeSoak(result(given));
const report = (given: Partial<SoakResult>) => formatSoak(result(given), verdictOn(given));

test('no failed request and flat memory are sound', () => {
  expect(verdictOn({})).toMatchObject({ isSound: true, complaints: [] });
  expect(report({})).toContain('2000 requests in 4 s: 500 a second, paced at 500 of 555 possible; 0 errors');
  expect(report({})).toMatch(/SOUND: no request failed, memory is flat$/);
});

test('one failed request is too many, and what it was is told', () => {
  const given = { errors: 1, faults: ['W3: status 500'] };
  expect(verdictOn(given).isSound).toBe(false);
  expect(report(given)).toMatch(/UNSOUND:\n1 requests failed:\n {2}W3: status 500$/);
});

test('memory that grows is not sound', () => {
  const samples = [sample(), sample({ rssMib: 110 })];
  expect(verdictOn({ samples }).complaints).toEqual(['memory grew by 10.0 %']);
  expect(report({ samples })).toMatch(/RSS +100\.0 MiB +110\.0 MiB +\+10\.0 %/);
});

test('who kept the machine busy is told with each sample: a gateway that slows down is told from a machine that does', () => {
  expect(formatSample(sample())).toContain('gateway 0.50 cores, elsewhere 0.10');
  const samples = [sample(), sample({ gatewayCores: 0.9, elsewhereCores: 0.3 })];
  expect(report({ samples })).toMatch(/gateway +50\.0 % +90\.0 % *\n +elsewhere +10\.0 % +30\.0 %/);
});

test('a schema that never came into force is not sound', () => {
  const samples = [sample(), sample({ generation: 49 })];
  expect(verdictOn({ samples, generations: 50 }).complaints).toEqual(['49 of 50 changes of schema came into force']);
  expect(verdictOn({ samples: [sample({ generation: 50 })], generations: 50 }).isSound).toBe(true);
});

test('a pace that was not kept, and memory that had not settled, are said', () => {
  expect(report({})).not.toContain('NOTE');
  expect(report({ samples: [sample(), sample({ behind: 250 })] })).toContain(
    'the pace was kept; at most 0.5 s behind it',
  );
  expect(report({ pacedPerSecond: 600 })).toContain('NOTE: the pace was not kept, only 83 % of it');
  expect(report({ settledAfterSeconds: null })).toContain('NOTE: memory had not settled');
});
