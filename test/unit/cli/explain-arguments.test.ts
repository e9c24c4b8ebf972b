import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';

const bare = { name: 'explain', file: 'a.graphql', variables: {}, operationName: null, isJson: false };

describe('explain accepts', () => {
  test.each([
    ['a file', ['explain', 'a.graphql'], bare],
    ['standard input', ['explain', '-'], { ...bare, file: '-' }],
    [
      'variables, an operation name and a form',
      ['explain', '--json', 'a.graphql', '--variables', '{"n":1,"__proto__":2}', '--operation', 'A'],
      { ...bare, variables: JSON.parse('{"n":1,"__proto__":2}'), operationName: 'A', isJson: true },
    ],
    [
      'a manifest',
      ['explain', '--manifest', 'm.json', '--variables', '{"n":1}', '--json'],
      { name: 'explain manifest', file: 'm.json', variables: { n: 1 }, isJson: true },
    ],
  ])('%s', (_, argv, command) => {
    expect(parseArguments(argv)).toEqual(command);
  });

  test.each([
    [['explain'], 'explain needs a file with an operation, - for standard input, or --manifest FILE'],
    [['explain', 'a', '--manifest', 'm'], 'Unexpected argument "a"'],
    [['explain', '--manifest', 'm', '--operation', 'A'], '--operation names an operation of a file, not of a manifest'],
    [['explain', 'a', 'b'], 'Unexpected argument "b"'],
    [['explain', 'a', '--variables', '[1]'], '--variables: expected a JSON object, got "[1]"'],
    [['explain', 'a', '--variables', '{n: 1}'], '--variables: expected a JSON object, got "{n: 1}"'],
    [['explain', 'a', '--seed', '1'], "Unknown option '--seed'"],
    [['serve', '--json'], "Unknown option '--json'"],
  ])('and rejects %j', (argv, message) => {
    expect(parseArguments(argv)).toEqual({ name: 'usage error', message });
  });
});
