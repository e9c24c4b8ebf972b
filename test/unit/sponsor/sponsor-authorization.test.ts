import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { createSponsorAuthorization } from '../../../src/sponsor/sponsor-client.ts';
import type { Caller, Scope } from '../../../src/upstream/operation-context.ts';
import { toTestCaller } from '../../support/test-caller.ts';

const caller = (scopes: readonly Scope[], authorization: string | null = null): Caller =>
  toTestCaller({
    kind: authorization === null ? 'ANONYMOUS' : 'API_KEY',
    authorization: authorization === null ? null : new Secret(authorization),
    scopes: new Set(scopes),
  });

describe('in forward mode', () => {
  const authorization = createSponsorAuthorization({ auth: 'forward', token: null });

  it('sends the caller’s whole header', () => {
    expect(authorization.headerFor(caller(['read'], 'Basic abc'))?.reveal()).toBe('Basic abc');
  });

  it('sends none if the caller has none', () => {
    expect(authorization.headerFor(caller(['read']))).toBeNull();
  });

  it('identifies callers by the whole hash of their headers', () => {
    // The SHA-256 of both begin with b5acdcb75f.
    const holders = ['Bearer 648458', 'Bearer 1192461'].map((header) => authorization.holderOf(caller([], header)));
    expect(new Set(holders).size).toBe(2);
    expect(holders[0]).toMatch(/^credential:b5acdcb75f[\da-f]{54}$/);
  });

  it('lets the sponsor decide who is an admin', () => {
    expect(authorization.demand('admin', caller([]))).toBeUndefined();
  });
});

describe('in token mode', () => {
  const authorization = createSponsorAuthorization({ auth: 'token', token: new Secret('gateway-token') });

  it('takes anonymous callers of one network for one holder, and callers with a credential for themselves', () => {
    const rate = { key: 'address:2001:db8:1:2::/64', perMinute: null };
    const holders = ['2001:db8:1:2::a', '2001:db8:1:2::b'].map((address) =>
      authorization.holderOf(toTestCaller({ id: `address:${address}`, visitor: rate.key })),
    );
    expect(holders).toEqual([rate.key, rate.key]);
    expect(authorization.holderOf(toTestCaller({ id: 'client:app', kind: 'API_KEY' }))).toBe('client:app');
  });

  it('sends a replaced token immediately', () => {
    const { headerFor, own, adopt } = createSponsorAuthorization({ auth: 'token', token: new Secret('first') });
    adopt(new Secret('second'));
    expect(headerFor(caller(['sponsor']))?.reveal()).toBe('Bearer second');
    expect(own()?.reveal()).toBe('Bearer second');
  });

  it('sends the gateway’s token, never the caller’s header', () => {
    expect(authorization.headerFor(caller(['sponsor'], 'Bearer mine'))?.reveal()).toBe('Bearer gateway-token');
  });

  it.each([
    ['sponsor', ['read']],
    ['sponsor', ['read', 'admin']],
    ['admin', ['read', 'sponsor']],
    ['admin', []],
  ] as [Scope, Scope[]][])('rejects a caller without %s and with %j', (scope, scopes) => {
    expect(() => authorization.demand(scope, caller(scopes, 'Bearer mine'))).toThrow(
      expect.objectContaining({
        message: `This needs the scope "${scope}".`,
        extensions: { code: 'FORBIDDEN', retry: 'never' },
      }),
    );
  });

  it('asks a caller without a credential for one', () => {
    expect(() => authorization.demand('sponsor', caller(['read']))).toThrow(
      expect.objectContaining({
        message: 'This needs the scope "sponsor": send an API key or a token that has it.',
        extensions: { code: 'UNAUTHENTICATED', retry: 'never' },
      }),
    );
  });

  it('accepts a caller with the scope', () => {
    expect(authorization.demand('admin', caller(['admin']))).toBeUndefined();
  });

  it('requires the token', () => {
    expect(() => createSponsorAuthorization({ auth: 'token', token: null })).toThrow('needs the token');
  });
});
