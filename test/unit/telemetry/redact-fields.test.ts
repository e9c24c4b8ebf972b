import { expect, test } from 'vitest';
import { redactFields, redactText } from '../../../src/telemetry/redact-fields.ts';

test.each([
  ['nothing to hide', 'nothing to hide'],
  ['at run (file:///app/dist/cli/run-serve.js:12:5)', 'at run (file:///app/dist/cli/run-serve.js:12:5)'],
  ['GET http://h/a failed', 'GET http://h/a failed'],
  ['GET http://h/a?key=pw failed', 'GET http://h/a?[redacted] failed'],
  ['"https://u:pw@h/" and wss://pw@h/ws', '"https://[redacted]@h/" and wss://[redacted]@h/ws'],
  ['postgres://u:pw@h/db?sslkey=pw', 'postgres://[redacted]@h/db?[redacted]'],
  ['authorization: Bearer pw', 'authorization: Bearer [redacted]'],
  ['BASIC cHc=; next', 'BASIC [redacted]; next'],
  ['Bearer\teyJhbGciOiJ9.eyJzdWIiOiJh.c2ln-_ next', 'Bearer [redacted] next'],
])('%s', (text, shown) => {
  expect(redactText(text)).toBe(shown);
});

test('the input is not changed', () => {
  const fields = { token: 'pw', nested: { url: 'http://u:pw@h/' } };
  redactFields(fields);
  expect(fields).toEqual({ token: 'pw', nested: { url: 'http://u:pw@h/' } });
});

test('a field named __proto__ stays a field', () => {
  const fields = JSON.parse('{"__proto__": {"token": "pw"}}') as Record<string, unknown>;
  expect(JSON.stringify(redactFields(fields))).toBe('{"__proto__":{"token":"[redacted]"}}');
});

test('a list in a full line is cut, not shown as empty', () => {
  expect(redactFields({ text: 'x'.repeat(5_000), more: 'y'.repeat(5_000), errors: [1], none: [] })).toMatchObject({
    errors: '…',
    none: [],
  });
});

test.each<[string, (inner: unknown) => unknown]>([
  ['objects', (inner) => ({ token: 'pw', inner })],
  ['lists', (inner) => [inner]],
  ['causes', (cause) => new Error('Bearer pw', { cause })],
  ['errors of errors', (inner) => new AggregateError([inner], 'Bearer pw')],
])('%s nested 10,000 deep are cut, not followed', (_name, around) => {
  let deep: unknown = 'Bearer pw';
  for (let level = 0; level < 10_000; level += 1) deep = around(deep);
  const text = JSON.stringify(redactFields({ deep }));
  // A stack is as long as the paths in it: with long ones the line is full before it is too deep.
  expect(text).toMatch(/"(\[too deep\]|…)"/);
  expect(text).not.toContain('pw"');
  expect(text.length).toBeLessThan(20_000);
});
