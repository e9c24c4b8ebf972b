import fc from 'fast-check';
import { buildSchema, executeSync, getOperationAST, Kind, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { toAnswerEnding } from '../../../../src/ledger/answers/answer-ending.ts';
import { endsAsAsked } from '../../../../src/ledger/answers/ends-as-asked.ts';

const schema = buildSchema(`
  scalar JSON
  enum E { X }
  interface N { s: String n: N a: A }
  type A implements N { s: String n: N a: A b: [A] u: U j: JSON e: E i: Int l: [Int] m: [[Float]] k: [JSON] }
  type B implements N { s: String n: N a: A c: [[B]] t: Boolean }
  union U = A | B
  type Query { s: String n: N a: A b: [A] u: U j: JSON i: Int }
`);

const endingOf = (query: string) => {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('no operation');
  const fragments = document.definitions.flatMap((each) =>
    each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
  );
  return toAnswerEnding(schema, operation, new Map(fragments));
};

/** Takes numbers one after the other. */
const taker = (numbers: readonly number[]) => {
  let at = 0;
  return (below: number) => (numbers[at++ % numbers.length] ?? 0) % below;
};

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  Query: ['s', 'n', 'a', 'b', 'u', 'j', 'i'],
  N: ['s', 'n', 'a'],
  A: ['s', 'n', 'a', 'b', 'u', 'j', 'e', 'i', 'l', 'm', 'k'],
  B: ['s', 'n', 'a', 'c', 't'],
  U: ['__typename'],
};
const typeOf: Readonly<Record<string, string>> = { n: 'N', a: 'A', b: 'A', c: 'B', u: 'U' };

/** A selection of that type, in which the same few names come again and again. */
function toSelection(take: (below: number) => number, type: string, depth: number): string {
  const parts = Array.from({ length: 1 + take(4) }, () => {
    const directive = take(6) === 0 ? ` @include(if: ${['$yes', '$no', 'true', 'false'][take(4)]})` : '';
    const kind = take(8);
    if (kind === 0 && depth > 0) return `...${directive} { ${toSelection(take, type, depth - 1)} }`;
    const narrower = type === 'N' || type === 'U' ? ['A', 'B', 'N'][take(3)] : type;
    if (kind < 4 && depth > 0 && narrower && type !== 'Query') {
      return `... on ${narrower}${directive} { ${toSelection(take, narrower, depth - 1)} }`;
    }
    if (kind === 5 && type === 'A') return `...F${directive}`;
    const fields = fieldsOf[type] ?? [];
    const field = fields[take(fields.length)] ?? '__typename';
    const below = typeOf[field];
    const alias = field === 's' && take(4) === 0 ? 'other: ' : '';
    if (!below) return `${alias}${field}${directive}`;
    return depth > 0 ? `${field}${directive} { ${toSelection(take, below, depth - 1)} }` : `__typename${directive}`;
  });
  return parts.join(' ');
}

const texts = ['', 'x', '}}', '"}}', 's":1}}', ',"s":"x"}}', '\\', '\\"', '{"data":{', 'é€', '":"'];
// What a scalar of the ledger's own holds bears names of its own.
const values = [null, {}, [], { zz: { zz: 1 } }, [{ zz: null }], 'x}}', 7, { zz: ['}}', {}] }];

/** What a ledger could answer to it. */
function toAnswer(query: string, take: (below: number) => number): unknown {
  const toObject = () => (take(5) === 0 ? null : { __typename: take(2) === 0 ? 'A' : 'B' });
  const toList = (make: () => unknown) => (take(6) === 0 ? null : Array.from({ length: take(3) }, make));
  return executeSync({
    schema,
    document: parse(query),
    variableValues: { yes: true, no: false },
    rootValue: {},
    fieldResolver: (_source, _args, _context, { fieldName, returnType }) => {
      if (fieldName === 'j') return values[take(values.length)];
      if (fieldName === 'k') return toList(() => values[take(values.length)]);
      if (fieldName === 's') return take(7) === 0 ? null : texts[take(texts.length)];
      if (fieldName === 'c') return toList(() => toList(toObject));
      if (fieldName === 'm') return toList(() => toList(() => [1.5, null, -2e-9][take(3)]));
      if (fieldName === 'l') return toList(() => [1, null, 30][take(3)]);
      if (String(returnType).startsWith('[')) return toList(toObject);
      if (typeOf[fieldName]) return toObject();
      return { e: 'X', i: take(100), t: take(2) === 0 }[fieldName] ?? null;
    },
  }).data;
}

describe('the end of an answer to an operation that is known', () => {
  it('is told from the same answer cut off at any place that looks like an end', () => {
    const seen = { whole: 0, known: 0, cut: 0 };
    const isTold = (numbers: readonly number[], indent: number) => {
      const take = taker(numbers);
      const query =
        `query ($yes: Boolean!, $no: Boolean!) { ${toSelection(take, 'Query', 4)} s @include(if: $yes) i @skip(if: $no) }
        fragment F on A { ${toSelection(take, 'A', 1).replaceAll('...F', 's')} }`.replace(
          /\bs @include\(if: \$yes\) i @skip\(if: \$no\) }/,
          (tail) => ((numbers[0] ?? 0) % 3 === 0 ? tail : '}'),
        );
      const ending = endingOf(query);
      const bytes = Buffer.from(JSON.stringify({ data: toAnswer(query, take) }, null, indent));
      const isEnd = (end: number) => /\}\s*\}$/.test(bytes.toString('latin1', Math.max(0, end - 40), end));
      if (!isEnd(bytes.length)) return;
      const dataEndOf = (end: number) => bytes.lastIndexOf('}', end - 2);
      seen.whole += 1;
      if (endsAsAsked(bytes, dataEndOf(bytes.length), ending)) seen.known += 1;
      for (let end = 2; end < bytes.length; end += 1) {
        if (bytes[end - 1] !== 0x7d || !isEnd(end)) continue;
        seen.cut += 1;
        const isTaken = endsAsAsked(bytes.subarray(0, end), dataEndOf(end), ending);
        if (isTaken) throw new Error(`${query}\n${bytes.toString('utf8', 0, end)}`);
      }
    };
    const numbers = fc.array(fc.nat(), { minLength: 40, maxLength: 300 });
    fc.assert(fc.property(numbers, fc.constantFrom(0, 1), isTold), { numRuns: 1_500 });
    expect(seen.cut).toBeGreaterThan(1_000);
    // Most need no second look.
    expect(seen.known / seen.whole).toBeGreaterThan(0.6);
  }, 60_000);

  it.each([
    ['a scalar', '{ a { i s } }', '{"data":{"a":{"i":1,"s":"x"}}}'],
    ['an empty list', '{ b { s } }', '{"data":{"b":[]}}'],
    ['a list of null', '{ b { s } }', '{"data":{"b":[{"s":"x"},null]}}'],
    ['null in place of an object', '{ i a { s } }', '{"data":{"i":1,"a":null}}'],
    ['an object that is a scalar', '{ a { j } }', '{"data":{"a":{"j":{"zz":{"s":["}"]}}}}}'],
    ['a list that is a scalar', '{ a { k } }', '{"data":{"a":{"k":[{"zz":1},{"zz":{}}]}}}'],
    ['lists of numbers', '{ a { m } }', '{"data":{"a":{"m":[[1.5,-2e-9],[]]}}}'],
    ['a text longer than what is read else', '{ a { s } }', `{"data":{"a":{"s":"${'\\"}'.repeat(9_000)}"}}}`],
    ['what a fragment ends with', '{ a { ...F } } fragment F on A { i s }', '{"data":{"a":{"i":1,"s":"x"}}}'],
    ['either of two types', '{ u { ... on A { s } ... on B { t } } }', '{"data":{"u":{"t":true}}}'],
    ['what is left of what is skipped', '{ s i @skip(if: true) }', '{"data":{"s":"x"}}'],
    ['the key that came later', '{ a { s } i a { i } }', '{"data":{"a":{"s":"x","i":1},"i":2}}'],
  ])('is known by %s', (_, query, answer) => {
    expect(endsAsAsked(Buffer.from(answer), answer.length - 2, endingOf(query))).toBe(true);
  });

  it.each([
    ['another key', '{ a { i s } }', '{"data":{"a":{"s":"x","i":1}}}'],
    ['fewer objects', '{ a { a { s } } }', '{"data":{"a":{"s":"x"}}}'],
    ['more objects', '{ a { s } }', '{"data":{"a":{"a":{"s":"x"}}}}'],
    ['an object for a text', '{ a { s } }', '{"data":{"a":{"s":{}}}}'],
    ['a scalar for an object', '{ i a { s } }', '{"data":{"i":1,"a":"null"}}'],
    ['nothing before it', '{ s }', '"s":"x"}}'],
    ['no key', '{ s }', '{"data":{"x"}}'],
    ['no value', '{ s }', '{"data":{"s":}}'],
    ['a key without a beginning', '{ s }', 's":"x"}}'],
    ['a key that also ends with objects around it further down', '{ a { a { a { s } } } }', '{"data":{"a":null}}x'],
  ])('is not, with %s', (_, query, answer) => {
    expect(endsAsAsked(Buffer.from(answer), answer.length - 2, endingOf(query))).toBe(false);
  });

  it('is worked out in little time for a document of many fragments, or not at all', () => {
    const doubled = Array.from(
      { length: 25 },
      (_, index) => `fragment F${index} on A { ...F${index + 1} a { ...F${index + 1} } }`,
    );
    const query = `{ a { ...F0 } } ${doubled.join(' ')} fragment F25 on A { s }`;
    expect(endingOf(query)).toEqual([]);
  });
});
