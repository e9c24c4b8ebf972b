import { expect, test } from 'vitest';
import { parseCall, toErrorText, toResultText } from '../../../../src/devnet/rpc/parse-call.ts';
import { RpcError } from '../../../../src/devnet/rpc/rpc-error.ts';

const request = (fields: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'queryEvents', params: [], ...fields });

test.each(['queryEvents', 'ledgerx_queryEvents', 'iotax_queryEvents', 'suix_queryEvents'])(
  '%s is queryEvents',
  (calledAs) => {
    expect(parseCall(request({ method: calledAs }))).toEqual({
      ok: true,
      call: { id: 1, method: 'queryEvents', calledAs, params: [] },
    });
  },
);

test('parameters are optional; a request without an id is a notification', () => {
  expect(parseCall('{"jsonrpc":"2.0","method":"x"}')).toEqual({
    ok: true,
    call: { id: undefined, method: 'x', calledAs: 'x', params: [] },
  });
});

test.each<[string, number, unknown]>([
  ['{', -32700, null],
  ['', -32700, null],
  ['[]', -32005, null],
  [`[${request({})}]`, -32005, null],
  ['5', -32600, null],
  ['null', -32600, null],
  [request({ jsonrpc: '1.0' }), -32600, 1],
  [request({ method: 7 }), -32600, 1],
  [request({ id: {} }), -32600, null],
  [request({ id: 'a', params: {} }), -32602, 'a'],
])('%s is refused with %i', (text, code, id) => {
  expect(parseCall(text)).toMatchObject({ ok: false, id, error: { code } });
});

test('responses are JSON-RPC 2.0; only rejections have details', () => {
  expect(JSON.parse(toResultText('a', [1]))).toEqual({ jsonrpc: '2.0', id: 'a', result: [1] });
  expect(JSON.parse(toErrorText(1, new RpcError(-32601, 'no')))).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32601, message: 'no' },
  });
  expect(JSON.parse(toErrorText(1, new TypeError('secret')))).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32603, message: 'Internal error' },
  });
});
