import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Lexer,
  Source,
  TokenKind,
} from 'graphql';
import { seededRandom } from './plausible-documents.ts';

/** A definition under construction. */
interface Definition {
  readonly variables: Set<string>;
  readonly spreads: Set<string>;
}

/**
 * A document with every feature of the language: several operations, variables of every input type with and without defaults,
 * lists, input objects, enums, all kinds of fragments, directives, aliases, repeated fields. Most are valid; in some, fields
 * of one name conflict. The same seed gives the same document.
 */
export function richDocument(schema: GraphQLSchema, seed: number): string {
  const random = seededRandom(seed);
  const below = (bound: number) => Math.floor(random() * bound);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const declarations = new Map<string, string>();
  const fragments = new Map<string, Definition & { text: string; readonly type: string }>();
  let fields = 4 + below(30);
  let names = 0;

  const operations = Array.from({ length: random() < 0.8 ? 1 : 2 }, (_, index, { length } = { length: 1 }) => {
    const mutation = schema.getMutationType();
    const isMutation = mutation && random() < 0.15;
    const root = isMutation ? mutation : schema.getQueryType();
    if (!root) throw new Error('the schema has no queries');
    const found: Definition = { variables: new Set(), spreads: new Set() };
    const body = selections(root, 1, found);
    return { found, body, head: `${isMutation ? 'mutation' : 'query'} ${length > 0 ? `Q${index}` : ''}` };
  });
  const texts = operations.map(({ found, body, head }) => {
    const used = new Set(found.variables);
    const reached = new Set(found.spreads);
    for (const name of reached) {
      for (const each of fragments.get(name)?.variables ?? []) used.add(each);
      for (const each of fragments.get(name)?.spreads ?? []) reached.add(each);
    }
    const declared = [...used].map((name) => declarations.get(name));
    return `${head}${declared.length > 0 ? `(${declared.join(' ')})` : ''} ${body}`;
  });
  return [...texts, ...[...fragments.values()].map(({ text }) => text)].join('\n');

  function selections(type: GraphQLNamedType, depth: number, found: Definition): string {
    const parts: string[] = [];
    for (let wanted = 1 + below(4); wanted > 0; wanted -= 1) parts.push(selection(type, depth, found));
    if (random() < 0.06) parts.push(pick(parts));
    return `{ ${parts.join(' ')} }`;
  }

  function selection(type: GraphQLNamedType, depth: number, found: Definition): string {
    const chance = random();
    if (isAbstractType(type) && chance < 0.4) {
      const on = random() < 0.8 ? pick(schema.getPossibleTypes(type)) : type;
      return `... on ${on.name}${directives(found)} ${selections(on, depth + 1, found)}`;
    }
    if (!('getFields' in type) || chance < 0.45)
      return depth > 8 || random() < 0.3 ? '__typename' : inner(type, depth, found);
    const all = Object.values(type.getFields()) as GraphQLField<unknown, unknown>[];
    const leaves = all.filter((each) => !isCompositeType(getNamedType(each.type)));
    const offered = depth > 8 || fields <= 0 ? leaves : all;
    return offered.length === 0 ? '__typename' : fieldText(pick(offered), depth, found);
  }

  function inner(type: GraphQLNamedType, depth: number, found: Definition): string {
    if (random() < 0.4) return `...${directives(found)} ${selections(type, depth + 1, found)}`;
    const offered = [...fragments].filter(([, each]) => each.type === type.name && each.text !== '');
    const known = offered.length > 0 && random() < 0.5 ? pick(offered)[0] : null;
    const name = known ?? `F${fragments.size}`;
    if (known === null) {
      const fragment = { variables: new Set<string>(), spreads: new Set<string>(), text: '', type: type.name };
      fragments.set(name, fragment);
      fragment.text = `fragment ${name} on ${type.name} ${selections(type, depth + 1, fragment)}`;
    }
    found.spreads.add(name);
    return `...${name}${directives(found)}`;
  }

  function fieldText(field: GraphQLField<unknown, unknown>, depth: number, found: Definition): string {
    fields -= 1;
    names += 1;
    const alias = random() < 0.5 ? `a${names}: ` : '';
    const named = getNamedType(field.type);
    const called = givenText(field.args, found).join(pick([', ', ' ']));
    const set = isCompositeType(named) ? ` ${selections(named, depth + 1, found)}` : '';
    return `${alias}${field.name}${called ? `(${called})` : ''}${directives(found)}${set}`;
  }

  function givenText(places: readonly (GraphQLArgument | GraphQLInputField)[], found: Definition): string[] {
    return places.flatMap((each) => {
      const isRequired = isNonNullType(each.type) && each.defaultValue === undefined;
      return isRequired || random() < 0.25 ? [`${each.name}: ${value(each.type, found, 0)}`] : [];
    });
  }

  function directives(found: Definition): string {
    if (random() < 0.92) return '';
    const boolean = schema.getType('Boolean') as GraphQLInputType;
    const name = random() < 0.5 ? 'skip' : 'include';
    return ` @${name}(if: ${random() < 0.5 ? 'true' : variable(boolean, true, found)})`;
  }

  /** @param found `null` where variables are not allowed */
  function value(type: GraphQLInputType, found: Definition | null, depth: number): string {
    const isNonNull = isNonNullType(type);
    const nullable = isNonNull ? type.ofType : type;
    if (found && random() < 0.3) return variable(nullable, isNonNull, found);
    if (!isNonNull && random() < 0.08) return 'null';
    if (isListType(nullable)) {
      if (random() < 0.2) return value(nullable.ofType, null, depth + 1);
      return `[${Array.from({ length: below(3) }, () => value(nullable.ofType, found, depth + 1)).join(' ')}]`;
    }
    if (isEnumType(nullable)) return pick(nullable.getValues()).name;
    if (!isInputObjectType(nullable)) return scalar(nullable.name);
    const all = Object.values(nullable.getFields());
    if (nullable.isOneOf) {
      const only = pick(all);
      const given =
        random() < 0.3 && found
          ? variable(only.type, true, found)
          : value(new GraphQLNonNull(getNullableType(only.type)), null, depth + 1);
      return `{${only.name}: ${given}}`;
    }
    const wanted = all.filter((each) => isNonNullType(each.type) || (depth < 3 && random() < 0.3));
    return `{${wanted.map((each) => `${each.name}: ${value(each.type, found, depth + 1)}`).join(', ')}}`;
  }

  function variable(nullable: GraphQLInputType, isNonNull: boolean, found: Definition): string {
    const plain = isNonNullType(nullable) ? nullable.ofType : nullable;
    const reused = [...declarations.keys()].find((name) => name.startsWith(`v_${idOf(plain)}_`));
    const name = reused && random() < 0.4 ? reused : `v_${idOf(plain)}_${declarations.size}`;
    if (!declarations.has(name)) {
      const isStrict = isNonNull ? random() < 0.8 : random() < 0.3;
      const fallback = random() < 0.3 || (isNonNull && !isStrict) ? ` = ${value(plain, null, 1)}` : '';
      declarations.set(name, `$${name}: ${plain}${isStrict ? '!' : ''}${fallback}`);
    }
    found.variables.add(name);
    return `$${name}`;
  }

  function idOf(type: GraphQLInputType): string {
    return type.toString().replaceAll('[', 'L').replaceAll(/[\]]/g, '').replaceAll('!', 'N');
  }

  function scalar(name: string): string {
    if (name === 'Boolean') return pick(['true', 'false']);
    if (name === 'Int' || name === 'UInt53') return String(below(60));
    if (name === 'Float') return pick(['1.5', '2', '1e3']);
    if (name === 'ID') return pick(['"0x2"', '7']);
    return pick(['"0x2"', '"12"', '"a b"', '""']);
  }
}

/** The document with one token removed, doubled, swapped with the next, or replaced: often invalid. */
export function mutate(text: string, words: readonly string[], seed: number): string {
  const random = seededRandom(seed);
  const below = (bound: number) => Math.floor(random() * bound);
  const tokens = tokensOf(text);
  const at = below(tokens.length);
  const token = tokens[at] ?? '';
  const other = random() < 0.5 ? tokens[below(tokens.length)] : words[below(words.length)];
  const changed = [
    [],
    [token, token],
    [tokens[at + 1] ?? '', token],
    [other ?? ''],
    [other ?? ''],
    [token, other ?? ''],
  ];
  const kind = below(changed.length);
  tokens.splice(at, kind === 2 ? 2 : 1, ...(changed[kind] ?? []));
  return tokens.join(' ');
}

/** Names that the schema knows, and values that may be misplaced. */
export function wordsOf(schema: GraphQLSchema): readonly string[] {
  const types = Object.values(schema.getTypeMap());
  const fields = types.flatMap((type) => ('getFields' in type ? Object.keys(type.getFields()) : []));
  const others = [
    'null',
    '$x',
    '@skip(if: true)',
    '@include(if: $x)',
    '@deprecated',
    '"text"',
    '5',
    '-1',
    '1.5',
    'true',
    'NAME',
  ];
  const more = [
    '{}',
    '[]',
    '[[1]]',
    '__typename',
    '__schema { __typename }',
    '...F0',
    '... on Query',
    '$v: Int',
    '= 5',
    '!',
    '__join: ',
  ];
  return [
    ...new Set([...types.map(({ name }) => name), ...fields]),
    ...Array(20)
      .fill([...others, ...more])
      .flat(),
  ];
}

function tokensOf(text: string): string[] {
  const lexer = new Lexer(new Source(text));
  const tokens: string[] = [];
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    tokens.push(text.slice(token.start, token.end));
  }
  return tokens;
}
