import { describe, expect, it } from 'vitest';
import { createCommonHeaders, isListed } from '../../../src/server/exchange.ts';
import { toHeaderObject } from '../../../src/server/raw-response.ts';
import { toRequestId } from '../../../src/server/request-head.ts';

const options = {
  versionHeaders: ['x-ledger-rpc-version', 'x-iota-rpc-version'],
  rpcVersion: { current: '1.2.3-abc' },
  corsOrigins: '*' as const,
};
const anyOrigin = createCommonHeaders(options);
const only = createCommonHeaders({ ...options, corsOrigins: ['https://dapp.example'] });

describe('the request id', () => {
  it('is the caller’s if it is short and safe', () => {
    expect(toRequestId('abc-1.2_X')).toBe('abc-1.2_X');
  });

  it.each([undefined, '', 'a b', 'x'.repeat(65), 'a\nb', ['a', 'b']])('is a new one instead of %j', (header) => {
    expect(toRequestId(header)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is unique', () => {
    const made = Array.from({ length: 5_000 }, () => toRequestId(undefined));
    expect(new Set(made).size).toBe(5_000);
  });
});

describe('headers on every response', () => {
  it('contain the version under every name, and the request id', () => {
    expect(toHeaderObject(anyOrigin(undefined, 'id'))).toMatchObject({
      'x-ledger-rpc-version': '1.2.3-abc',
      'x-iota-rpc-version': '1.2.3-abc',
      'x-request-id': 'id',
    });
  });

  it('let browser code of any origin read them by default, never with credentials', () => {
    const headers = toHeaderObject(anyOrigin('https://any.example', 'id'));
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-expose-headers']).toBe(
      'x-ledger-rpc-version, x-iota-rpc-version, x-request-id, x-gateway-source, ratelimit, ratelimit-policy, retry-after',
    );
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('name only a listed origin, and vary by it', () => {
    expect(toHeaderObject(only('https://dapp.example', 'id'))).toMatchObject({
      'access-control-allow-origin': 'https://dapp.example',
      vary: 'origin',
    });
    expect(toHeaderObject(only('https://evil.example', 'id'))).not.toHaveProperty('access-control-allow-origin');
    expect(toHeaderObject(only(undefined, 'id'))).not.toHaveProperty('access-control-allow-origin');
  });

  it('follow the version, and keep no origins of clients', () => {
    const rpcVersion = { current: '1' };
    const stamps = createCommonHeaders({ ...options, rpcVersion });
    expect(stamps(undefined, 'a')).toContain('1');
    rpcVersion.current = '2';
    expect(stamps(undefined, 'b')).toEqual(expect.arrayContaining(['2', 'b']));
    expect(stamps(undefined, 'b')).not.toContain('a');
  });

  it('can be extended for one response', () => {
    only('https://dapp.example', 'a').push('x', 'y');
    expect(only('https://dapp.example', 'b')).not.toContain('x');
  });
});

it('an origin is matched without regard to the case of scheme and host', () => {
  expect(isListed('HTTPS://DApp.Example', ['https://dapp.example'])).toBe(true);
  expect(isListed('https://dapp.example.evil', ['https://dapp.example'])).toBe(false);
});
