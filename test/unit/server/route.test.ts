import { expect, it } from 'vitest';
import { createCheckVersion } from '../../../src/server/route.ts';

it('checks the versions of all headers by which a client asks for one', () => {
  const checked: unknown[] = [];
  const check = createCheckVersion(['x-ledger-rpc-version', 'x-iota-rpc-version'], (path, header) => {
    checked.push([path, header]);
    return null;
  });
  check({ headers: { 'x-ledger-rpc-version': '2026.11', 'x-iota-rpc-version': '2026.10' } }, null);
  check({ headers: { 'x-iota-rpc-version': '2026.10' } }, '2026.9');
  check({ headers: {} }, null);
  expect(checked).toEqual([
    [null, '2026.11, 2026.10'],
    ['2026.9', '2026.10'],
  ]);
});
