import { readFileSync } from 'node:fs';
import { buildSchema, type DocumentNode, parse, type ValidationRule, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { toExecutableDocument } from '../../../../src/documents/selections.ts';
import { maxErrors, validateDocument } from '../../../../src/documents/validation/validate-document.ts';
import { countReads } from '../../../support/documents.ts';

const schema = buildSchema(readFileSync(new URL('../../../../schema/public.graphql', import.meta.url), 'utf8'));

const check = (document: DocumentNode, rules: readonly ValidationRule[] = [], hidesSuggestions = false) =>
  validateDocument(document, toExecutableDocument(document), { schema, rules, hidesSuggestions }).errors;
const messagesOf = (text: string, ...rest: [(readonly ValidationRule[])?, boolean?]) =>
  check(parse(text), ...rest).map(({ message }) => message);
const repeat = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => write(i)).join(' ');

describe('validation errors of a document', () => {
  test.each([
    '{ chainIdentifier }',
    '{ chainIdentifer }',
    '{ epoch { epochId { x } } }',
    '{ epoch }',
    '{ epoch(idd: 1) { epochId } }',
    '{ a: chainIdentifier a: epoch { epochId } }',
    '{ epoch { a: epochId } epoch { a: referenceGasPrice } }',
    '{ epoch(id: 1) { epochId } epoch(id: 2) { epochId } }',
    '{ object(address: "0x1") { ...A ...B } } fragment A on Object { x: address } fragment B on Object { x: digest }',
    'query Q { epoch(id: $x) { epochId } }',
    'query A { chainIdentifier } query A { chainIdentifier }',
    '{ chainIdentifier } fragment F on Query { chainIdentifer }',
    '{ chainIdentifier } fragment F on Nothing { x }',
  ])('have the messages of graphql-js: %s', (text) => {
    expect(messagesOf(text)).toEqual(validate(schema, parse(text)).map(({ message }) => message));
  });

  test('have the ledger’s message for an unused variable', () => {
    expect(messagesOf('query ($x: Int) { chainIdentifier }')).toEqual(['Variable "$x" is not used']);
    expect(messagesOf('query Q($x: Int, $y: Int) { epoch(id: $y) { epochId } }')).toEqual([
      'Variable "$x" is not used by operation "Q"',
    ]);
    const used = 'query Q($x: Int) { ...F } fragment F on Query { epoch(id: $x) { epochId } }';
    expect(messagesOf(used)).toEqual([]);
  });

  test('stops after the maximum of reported errors, and says so', () => {
    const messages = messagesOf(`{ ${repeat(100, (index) => `chainIdentifer${index}`)} }`);
    expect(messages).toHaveLength(maxErrors + 1);
    expect(messages.at(-1)).toMatch(/^Too many validation errors/);
  });

  test('contain no names of the schema if introspection is off', () => {
    const typos = '{ chainIdentifer epoch(idd: 1) { epochId } ... on Queri { x } }';
    expect(messagesOf(typos).filter((message) => message.includes('Did you mean'))).toHaveLength(3);
    expect(messagesOf(typos, [], true).join()).not.toContain('Did you mean');
  });
});

describe('fields with the same response name', () => {
  test('are valid in any number if they are the same', () => {
    expect(messagesOf(`{ ${repeat(150, (index) => `epoch { a${index}: epochId }`)} }`)).toEqual([]);
    expect(messagesOf(`{ __schema { ${repeat(50, () => 'types { name }')} } }`)).toEqual([]);
  });

  test('may differ if no object has both', () => {
    const differing = (leaf: string) => `{ node { ... on A { x: ${leaf} } ... on B { x: id near { b: id } } } }`;
    const abstract = buildSchema(`
      interface Node { id: ID! name: String near: Node }
      type A implements Node { id: ID! name: String near: Node }
      type B implements Node { id: ID! name: String near: Node }
      type Query { node: Node }
    `);
    const told = (text: string) => {
      const document = parse(text);
      const options = { schema: abstract, rules: [], hidesSuggestions: false };
      return validateDocument(document, toExecutableDocument(document), options).errors.map(({ message }) => message);
    };
    expect(told(differing('id near { a: id }'))).toEqual([]);
    expect(told(differing('name'))).toEqual(validate(abstract, parse(differing('name'))).map(({ message }) => message));
    expect(told(differing('name'))).toHaveLength(1);
  });

  test('are compared within a bound if they differ', () => {
    const [message, ...others] = messagesOf(`{ ${repeat(149, (index) => `epoch(id: ${index}) { epochId }`)} }`);
    expect(message).toBe(
      'Too many fields share a response name, as "epoch" does. Use different aliases on the fields.',
    );
    expect(others).toEqual([]);
  });

  test.each([
    [
      'in a fragment without use',
      (size: number) => `{ chainIdentifier } fragment F on Query { ${repeat(size, () => 'epoch { epochId }')} }`,
    ],
    ['that are the same', (size: number) => `{ ${repeat(size, (index) => `epoch { a${index}: epochId }`)} }`],
    ['with other arguments', (size: number) => `{ ${repeat(size, (index) => `epoch(id: ${index}) { epochId }`)} }`],
    ['below the schema', (size: number) => `{ __schema { ${repeat(size, () => 'types { name }')} } }`],
    [
      'in many fragments',
      (size: number) =>
        `{ ${repeat(size, (index) => `...F${index}`)} } ${repeat(size, (index) => `fragment F${index} on Query { epoch { epochId } }`)}`,
    ],
  ])('%s are read in time that grows with the text', (_, write) => {
    const readsOf = (size: number) => {
      const { document, reads } = countReads(parse(write(size), { noLocation: true }));
      check(document);
      return reads();
    };
    expect(readsOf(400) / readsOf(200)).toBeLessThan(2.5);
  });
});

describe('variables for ids', () => {
  const idInputs = new Map([['EventQueryFilter.sender', new Set(['LedgerAddress'])]]);
  const checkIds = (document: DocumentNode) =>
    validateDocument(document, toExecutableDocument(document), {
      schema,
      rules: [],
      hidesSuggestions: false,
      idInputs,
    }).errors;

  test('may have the type that the ledger declares, wherever operations use them', () => {
    const fragment = 'fragment F on Query { queryEvents(filter: { sender: $a }) { nodes { id } } }';
    expect(checkIds(parse(`query A($a: LedgerAddress!) { ...F } query B($a: String!) { ...F } ${fragment}`))).toEqual(
      [],
    );
    expect(checkIds(parse(`query A($a: LedgerAddress!) { ...F } query B($a: ID!) { ...F } ${fragment}`))).toHaveLength(
      1,
    );
  });

  test('are searched once in fragments that many operations share', () => {
    const write = (size: number) =>
      `${repeat(size / 4, (index) => `query Q${index}($a: LedgerAddress!) { ...F }`)} fragment F on Query {
        events: queryEvents(filter: { sender: $a }) { nodes { id } }
        others: queryTransactionBlocks(filter: { transactionKindIn: [${'"x" '.repeat(size * 3)}] }) { nodes { digest } }
      }`;
    const readsOf = (size: number) => {
      const { document, reads } = countReads(parse(write(size), { noLocation: true }));
      expect(checkIds(document)).toEqual([]);
      return reads();
    };
    expect(readsOf(400) / readsOf(200)).toBeLessThan(2.5);
  });
});

test('computing the lines of hundreds of errors does not search the text for each', () => {
  const text = `query (${'\n'.repeat(500)}${repeat(400, () => '$a: Int')}) { chainIdentifier }`;
  const document = parse(text);
  const { source } = document.loc ?? {};
  if (!source) throw new Error('a document without a source');
  let body = source.body;
  let searches = 0;
  Object.defineProperty(source, 'body', {
    set: (value: string) => {
      body = value;
    },
    get: () => {
      if (body !== '') searches += 1;
      return body;
    },
  });
  const [error] = check(document);
  expect(error?.message).toBe('There can be only one variable named "$a".');
  expect(error?.positions).toHaveLength(400);
  expect(error?.positions?.[0]).toBe(text.indexOf('$a') + 1);
  // Once to keep it, and not at all for the places.
  expect(searches).toBe(1);
  expect(body).toBe(text);
});
