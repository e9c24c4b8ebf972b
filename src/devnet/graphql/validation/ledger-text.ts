/** Messages of graphql-js, and the real service's messages for the same faults. */
const rewordings: readonly (readonly [RegExp, string])[] = [
  [/^Cannot query field "(\w+)" on type "(\w+)"\.( Did you mean .*)?$/, 'Unknown field "$1" on type "$2".$3'],
  [/^Unknown argument "(\w+)" on field "(\w+)\.(\w+)"\.(.*)$/, 'Unknown argument "$1" on field "$3" of type "$2".$4'],
  [
    /^Field "(\w+)" argument "(\w+)" of type "(.+)" is required, but it was not provided\.$/,
    'Field "$1" argument "$2" of type "$3" is required but not provided',
  ],
  [/^Variable "(\$\w+)" is never used in operation "(\w+)"\.$/, 'Variable "$1" is not used by operation "$2"'],
  [/^Variable "(\$\w+)" is never used\.$/, 'Variable "$1" is not used'],
  [/^Variable "(\$\w+)" is not defined by operation "(\w+)"\.$/, 'Variable "$1" is not defined by operation "$2"'],
  [/^Variable "(\$\w+)" is not defined\.$/, 'Variable "$1" is not defined'],
  [
    /^Variable "\$(\w+)" of type "(.+)" used in position expecting type "(.+)"\.$/,
    'Variable "$1" of type "$2" used in position expecting type "$3"',
  ],
  [
    /^Field "(\w+)" of type "(.+)" must have a selection of subfields\..*$/,
    'Field "$1" of type "$2" must have a selection of subfields',
  ],
  [
    /^Field "(\w+)" must not have a selection since type "(.+)" has no subfields\.$/,
    'Field "$1" must not have a selection since type "$2" has no subfields',
  ],
  [/^Unknown type "(\w+)"\..*$/, 'Unknown type "$1"'],
  [/^Fragment "(\w+)" is never used\.$/, 'Fragment "$1" is never used'],
];

/** Translates a validation error of graphql-js into the real service's message; unchanged without a known translation. */
export function toLedgerText(message: string): string {
  const found = rewordings.find(([pattern]) => pattern.test(message));
  return found ? message.replace(...found) : message;
}
