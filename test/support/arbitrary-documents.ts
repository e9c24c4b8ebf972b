import fc from 'fast-check';

/** Names that the counting rules treat specially are drawn often. */
const fieldName = fc.constantFrom(
  'edges',
  'nodes',
  'edges',
  'nodes',
  'node',
  'pageInfo',
  'events',
  'first',
  '__typename',
  '__schema',
);
const transactionField = fc.constantFrom('executeTx', 'executeTransactionBlock', 'dryRunTransactionBlock', 'executeT');
const variableName = fc.constantFrom('a', 'b', 'c', 'toString', '__proto__');

const integer = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 0, max: 6 }).map(String) },
  { weight: 10, arbitrary: fc.integer({ min: 7, max: 60 }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '-1',
      '-0',
      '65536',
      '4294967295',
      '4294967296',
      '9007199254740993',
      '18446744073709551615',
      '18446744073709551616',
      `9${'0'.repeat(400)}`,
    ),
  },
);
const text = fc.constantFrom('""', '"AAAA"', '"\\u00e9\\n"', '"""block\n  text"""', '"€"');
const value: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 60, arbitrary: integer },
    { weight: 60, arbitrary: variableName.map((name) => `$${name}`) },
    { weight: 60, arbitrary: text },
    { weight: 40, arbitrary: fc.constantFrom('1.5', '1e2', 'null', 'true', 'ENUM', '{}', '[]') },
    { weight: 60, arbitrary: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(' ')}]`) },
    { weight: 40, arbitrary: tie('value').map((item) => `{k: ${item}}`) },
    { weight: 1, arbitrary: fc.constantFrom(32, 33).map((deep) => `${'['.repeat(deep)}${']'.repeat(deep)}`) },
  ),
})).value;
const pageValue = fc.oneof(
  { weight: 5, arbitrary: integer },
  { weight: 3, arbitrary: variableName.map((name) => `$${name}`) },
  { weight: 1, arbitrary: value },
);
const callArguments = (names: fc.Arbitrary<string>, values: fc.Arbitrary<string>) =>
  fc.array(fc.tuple(names, values), { maxLength: 3 }).map((pairs) => {
    return pairs.length === 0 ? '' : `(${pairs.map(([name, given]) => `${name}: ${given}`).join(', ')})`;
  });
const directive = fc.oneof(
  { weight: 600, arbitrary: fc.constant('') },
  { weight: 60, arbitrary: fc.constantFrom(' @skip(if: true)', ' @include(if: $a) @skip(if: false)') },
  { weight: 1, arbitrary: fc.constantFrom(' @deprecated', ' @skip(if: true) @defer') },
);

const transaction = fc
  .tuple(transactionField, callArguments(fc.constantFrom('txBytes', 'signatures', 'x'), value))
  .map((parts) => parts.join(''));

function selectionSet(spreadable: readonly string[]): fc.Arbitrary<string> {
  const spread = fc
    .tuple(spreadable.length > 0 ? fc.constantFrom(...spreadable) : fc.constant('Missing'), directive)
    .map(([name, directives]) => `...${name}${directives}`);
  return fc.letrec<{ set: string; selection: string }>((tie) => ({
    set: fc.array(tie('selection'), { minLength: 1, maxLength: 3 }).map((selections) => `{ ${selections.join(' ')} }`),
    selection: fc.oneof(
      { maxDepth: 7, depthSize: 'medium', withCrossShrink: true },
      { weight: 4, arbitrary: fieldName },
      ...(spreadable.length > 0 ? [{ weight: 1, arbitrary: spread }] : []),
      {
        weight: 5,
        arbitrary: fc
          .tuple(
            fc.constantFrom('', '', 'x: ', 'nodes: ', '__schema: '),
            fieldName,
            callArguments(fc.constantFrom('first', 'last', 'first', 'last', 'after'), pageValue),
            directive,
            tie('set'),
          )
          .map((parts) => parts.join('')),
      },
      {
        weight: 3,
        arbitrary: fc
          .tuple(fc.constantFrom('...', '... on T'), directive, tie('set'))
          .map(([head, directives, set]) => `${head}${directives} ${set}`),
      },
      { weight: 1, arbitrary: transaction },
    ),
  })).set;
}

/** A selection set of an operation or a fragment. Only these count as transactions. */
function topSelectionSet(spreadable: readonly string[]): fc.Arbitrary<string> {
  const first = fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: transaction });
  return fc.tuple(first, selectionSet(spreadable)).map(([call, set]) => `{ ${call} ${set.slice(1)}`);
}

export interface ArbitraryDocumentOptions {
  /** May fragments spread each other in cycles? Default false. */
  readonly isCyclic?: boolean;
  /** May a spread name a missing fragment? Default false. */
  readonly hasUnknown?: boolean;
}

/** Documents that parse, with one or more operations and fragments. */
export function arbitraryDocument({ isCyclic = false, hasUnknown = false }: ArbitraryDocumentOptions = {}) {
  const names = ['F0', 'F1', 'F2', 'F3'];
  const unknown = hasUnknown ? ['Missing', 'constructor'] : [];
  const definitions = names.map((name, index) => {
    const later = names.slice(index + 1);
    const spreadable = [...later, ...later, ...later, ...(isCyclic ? names.slice(0, index + 1) : []), ...unknown];
    return fc.tuple(directive, topSelectionSet(spreadable)).map(([on, set]) => `fragment ${name} on T${on} ${set}`);
  });
  const spreadable = [...names, ...names, ...names, ...unknown];
  const declaration = fc
    .tuple(
      variableName,
      fc.constantFrom('', ' = 7', ' = [[1]]'),
      fc.constantFrom(...Array(40).fill(''), ' @skip', ' @odd'),
    )
    .map(([name, fallback, on]) => `$${name}: Int${fallback}${on}`);
  const operation = fc
    .tuple(
      fc.constantFrom('query', 'query Q', 'mutation M', 'subscription S', 'query __proto__'),
      fc.array(declaration, { maxLength: 2 }),
      directive,
      fc.oneof(
        { weight: 9, arbitrary: topSelectionSet(spreadable) },
        { weight: 1, arbitrary: selectionSet(spreadable).map((set) => `{ x: __schema ${set} }`) },
      ),
    )
    .map(([head, declared, on, set]) => `${head}${declared.length > 0 ? `(${declared.join(', ')})` : ''}${on} ${set}`);
  const operations = fc.oneof(
    { weight: 3, arbitrary: fc.array(operation, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(operation, { minLength: 2, maxLength: 3 }) },
  );
  // Fragments before, between or after the operations.
  return fc
    .tuple(operations, ...definitions)
    .chain(([some, ...others]) => fc.shuffledSubarray([...some, ...others], { minLength: some.length + others.length }))
    .map((parts) => parts.join('\n'));
}

const sent: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer({ min: 0, max: 60 }),
  fc.constantFrom(-1, -0, 1.5, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 63, 2 ** 64, 1e300, null, true, '5', 'ÄÖ', {}, []),
  fc.array(fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 2 }), fc.integer()), { maxLength: 3 }),
);

/** Variables as `JSON.parse` creates them: `__proto__` is an ordinary key. */
export const arbitraryVariables: fc.Arbitrary<Record<string, unknown>> = fc
  .array(fc.tuple(variableName, sent), { maxLength: 5 })
  .map((pairs) => JSON.parse(JSON.stringify(Object.fromEntries(pairs))) as Record<string, unknown>);
