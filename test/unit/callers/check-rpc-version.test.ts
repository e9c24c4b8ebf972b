import { describe, expect, it } from 'vitest';
import { checkRpcVersion } from '../../../src/callers/check-rpc-version.ts';

const served = { build: '2026.11.0-abc123', available: ['2026.11', '2026.10'] };
const check = (header: string | undefined, path: string | null = null) => checkRpcVersion({ header, path }, served);

describe('the RPC version a request asks for', () => {
  it.each([undefined, '', ' ', 'stable', 'beta', 'legacy', '2026.11', '2026.10', '2026.11.0-abc123'])(
    '%j is served, by header and by path',
    (version) => {
      expect(check(version)).toBeNull();
      expect(check(undefined, version?.trim() ?? null)).toBeNull();
    },
  );

  it.each(['2026.12', '2026.011', '1.2', '2026.11.0-other', '2026.11.1'])(
    '%s is well-formed but not served: 421',
    (version) => {
      const refusal = { code: 'UNSUPPORTED_RPC_VERSION', status: 421, message: `Version '${version}' not supported.` };
      expect(check(version)).toEqual(refusal);
      expect(check(undefined, version)).toEqual(refusal);
    },
  );

  it.each(['newest', '2026', 'v2026.11', '2026.11 ; x', 'STABLE', '2026.x'])('%s is malformed: 400', (version) => {
    expect(check(version)).toMatchObject({
      code: 'BAD_REQUEST',
      status: 400,
      message: `'${version}' not a valid <YEAR>.<MONTH> version.`,
    });
    expect(check(undefined, version)).toMatchObject({ code: 'BAD_REQUEST', status: 400 });
    expect(check(undefined, version)?.message).toContain(`Failed to parse version path: ${version}.`);
  });

  it('several values are rejected, even equal ones', () => {
    expect(check('2026.11, 2026.11')).toMatchObject({
      status: 400,
      message: expect.stringContaining('Multiple possible versions found'),
    });
  });

  it('header and path must both match', () => {
    expect(check('2026.11', '2026.12')).toMatchObject({ status: 421 });
    expect(check('2026.12', '2026.11')).toMatchObject({ status: 421 });
    expect(check('2026.11', 'stable')).toBeNull();
  });

  it('uses the first two numbers of the build if the ledger lists no versions', () => {
    expect(checkRpcVersion({ header: '2026.11', path: null }, { ...served, available: [] })).toBeNull();
  });

  it('does not repeat a long value whole', () => {
    expect(check('x'.repeat(5_000))?.message.length).toBeLessThan(100);
  });
});
