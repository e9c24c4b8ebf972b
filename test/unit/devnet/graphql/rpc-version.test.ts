import { describe, expect, test } from 'vitest';
import { checkRpcVersion, toServedVersion } from '../../../../src/devnet/graphql/rpc-version.ts';

const build = '1.33.1-rc-d864b0092161';

describe('an RPC version', () => {
  test('is served by its first two numbers', () => {
    expect(toServedVersion(build)).toBe('1.33');
    for (const asked of ['1.33', 'beta', 'legacy', 'stable']) expect(checkRpcVersion(asked, build)).toBeUndefined();
  });

  test.each([
    ['1.34', 421],
    ['1.033', 421],
    ['01.33', 421],
    ['1.33.1', 400],
    [build, 400],
    ['BETA', 400],
    ['', 400],
  ])('%j gets %i', (asked, status) => {
    expect(checkRpcVersion(asked, build)?.status).toBe(status);
  });
});
