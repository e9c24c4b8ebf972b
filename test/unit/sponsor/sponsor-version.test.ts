import { describe, expect, it } from 'vitest';
import { toSponsorVersion } from '../../../src/sponsor/sponsor-version.ts';

describe('toSponsorVersion', () => {
  it.each([
    ['0.3.0-1a2b3c4d5e6f', '0.3.0', '1a2b3c4d5e6f'],
    ['0.3.0-1a2b3c4d5e6f-dirty', '0.3.0', '1a2b3c4d5e6f-dirty'],
    ['1.0.0-rc.1-abcdef', '1.0.0-rc.1', 'abcdef'],
    ['1.0.0-rc1-abcdef', '1.0.0-rc1', 'abcdef'],
    ['1.0.0+build.5-abcdef', '1.0.0+build.5', 'abcdef'],
    ['0.3.0', null, null],
    ['v0.3.0-abc', null, null],
    ['main', null, null],
    ['0.3-abc', null, null],
  ])('splits %s into %s and %s', (raw, semver, buildHash) => {
    expect(toSponsorVersion(raw)).toEqual({ raw, semver, buildHash });
  });
});
