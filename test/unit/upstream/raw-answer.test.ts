import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { toAnswerHeaders } from '../../../src/upstream/send-call.ts';

const headers = toAnswerHeaders(
  ['Content-Type', 'application/json', 'X-A', 'ü', 'set-cookie', 'a=1', 'SET-COOKIE', 'b=2', 'set-cookie', 'c=3'].map(
    (text) => Buffer.from(text, 'latin1'),
  ),
);

test.each<[string, string | string[] | undefined]>([
  ['content-type', 'application/json'],
  ['x-a', 'ü'],
  ['set-cookie', ['a=1', 'b=2', 'c=3']],
  ['content-typo', undefined],
  ['content-typ', undefined],
  ['application/json', undefined],
])('finds %s by its lower-case name, whatever its case', (name, value) => {
  expect(headers.get(name)).toEqual(value);
});

test('accepts only exact lower-case letters', () => {
  expect(toAnswerHeaders([Buffer.from('x[a'), Buffer.from('1')]).get('x{a')).toBeUndefined();
});
