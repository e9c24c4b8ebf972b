import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readClaims } from '../../../../src/callers/credentials/jwt-verifier.ts';

const scopesOf = (claims: Record<string, unknown>, scopesClaim: string | null = null) => {
  const holder = readClaims({ sub: 'a', ...claims }, scopesClaim);
  return holder.kind === 'holder' ? [...holder.scopes] : holder;
};
const idOf = (sub: unknown) => {
  const holder = readClaims({ sub }, null);
  return holder.kind === 'holder' ? holder.id : holder;
};

describe('the holder of a token', () => {
  test.each([
    [{}, ['read']],
    [{ scope: 'sponsor' }, ['read', 'sponsor']],
    [{ scope: 'openid profile sponsor admin' }, ['read', 'sponsor', 'admin']],
    [{ scope: 'sponsors adminx SPONSOR' }, ['read']],
    [{ scope: '' }, ['read']],
    [{ scopes: ['sponsor', 'other'] }, ['read', 'sponsor']],
    [{ scp: 'admin' }, ['read', 'admin']],
    // The first of the usual ones says it.
    [{ scope: 'openid', scopes: ['admin'], scp: 'admin' }, ['read']],
    [{ scope: ['sponsor', 7] }, { kind: 'unfit', claim: 'scope' }],
    [{ scp: { sponsor: true } }, { kind: 'unfit', claim: 'scp' }],
    [{ scope: null }, { kind: 'unfit', claim: 'scope' }],
  ])('with %j has %j', (claims, scopes) => {
    expect(scopesOf(claims)).toEqual(scopes);
  });

  test('has the scopes of one claim alone where that is configured', () => {
    expect(scopesOf({ roles: ['sponsor'], scope: 'admin' }, 'roles')).toEqual(['read', 'sponsor']);
    expect(scopesOf({ scope: 'admin' }, 'roles')).toEqual(['read']);
    expect(scopesOf({ scope: 'admin' }, 'constructor')).toEqual(['read']);
  });

  test.each([
    ['auth0|62f', 'jwt:auth0|62f'],
    ['user@example.com', 'jwt:user@example.com'],
    ['line\nbreak', expect.stringMatching(/^jwt:#[\da-f]{32}$/)],
    ['#'.padEnd(33, 'a'), expect.stringMatching(/^jwt:#[\da-f]{32}$/)],
    ['x'.repeat(129), expect.stringMatching(/^jwt:#[\da-f]{32}$/)],
    ['', { kind: 'unfit', claim: 'sub' }],
    [7, { kind: 'unfit', claim: 'sub' }],
    [undefined, { kind: 'unfit', claim: 'sub' }],
  ])('whose subject is %j is shown as %j', (sub, id) => {
    expect(idOf(sub)).toEqual(id);
  });

  test('cannot have as its subject the hash that another is shown as', () => {
    const shown = idOf('line\nbreak') as string;
    expect(idOf(shown.slice('jwt:'.length))).not.toBe(shown);
  });

  test('cannot impersonate another, or write into a log', () => {
    const sub = fc.oneof(fc.string({ minLength: 1, unit: 'binary' }), fc.stringMatching(/^#?[\da-f]{32}$/));
    fc.assert(
      fc.property(sub, sub, (one, other) => {
        expect(idOf(one)).toMatch(/^jwt:[\w.:@|/+=#-]{1,128}$/);
        expect(idOf(one) === idOf(other)).toBe(one === other);
      }),
    );
  });

  test('has at most three scopes, whatever the claims contain', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('sub', 'scope', 'scopes', 'scp', 'x'), fc.jsonValue()), (claims) => {
        const holder = readClaims(claims, null);
        if (holder.kind === 'unfit') expect(['sub', 'scope', 'scopes', 'scp']).toContain(holder.claim);
        else for (const scope of holder.scopes) expect(['read', 'sponsor', 'admin']).toContain(scope);
      }),
    );
  });
});
