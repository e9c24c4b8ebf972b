import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
} from 'graphql';
import type { FieldRule, ImmutableFields, Proof } from '../../src/ledger/immutable/immutable-fields.ts';
import type { MovingRequest } from './moving-ledger.ts';

export interface LastingRead extends MovingRequest {
  readonly query: string;
  readonly variables: Record<string, unknown>;
}

/**
 * A read that mostly selects immutable fields, and sometimes others: with aliases, fragments, conditions, pages, variables
 * and literals. The same seed gives the same read. Some reads are invalid.
 */
export function lastingRead(schema: GraphQLSchema, table: ImmutableFields, seed: number): LastingRead {
  const random = seededRandom(seed);
  const below = (bound: number) => Math.floor(random() * bound);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const fragments: string[] = [];
  let fields = 6 + below(14);
  let aliases = 0;

  const query = schema.getQueryType();
  if (!query) throw new Error('the schema has no queries');
  const body = selections(query, false, 0);
  const head = declared.length > 0 ? `query (${declared.join(', ')})` : 'query';
  return { query: [`${head} ${body}`, ...fragments].join('\n'), variables };

  function selections(
    type: GraphQLNamedType,
    isNameOnly: boolean,
    depth: number,
    also: readonly string[] = [],
  ): string {
    const parts: string[] = [...also];
    for (let wanted = 1 + below(depth === 0 ? 2 : 4); wanted > 0; wanted -= 1)
      parts.push(selection(type, isNameOnly, depth));
    return `{ ${parts.join(' ')} }`;
  }

  function selection(type: GraphQLNamedType, isNameOnly: boolean, depth: number): string {
    if (isAbstractType(type) && random() < 0.7) {
      const possible = pick(schema.getPossibleTypes(type));
      return `... on ${possible.name} ${selections(possible, isNameOnly, depth + 1)}`;
    }
    if (!('getFields' in type) || random() < 0.05) return '__typename';
    const wrapped = random();
    if (wrapped < 0.06) return `... ${condition()} ${selections(type, isNameOnly, depth + 1)}`;
    if (wrapped < 0.12 && depth > 0) {
      const name = `F${fragments.length}`;
      const at = fragments.push('') - 1;
      fragments[at] = `fragment ${name} on ${type.name} ${selections(type, isNameOnly, depth + 1)}`;
      return `...${name} ${condition()}`;
    }
    const all = Object.values(type.getFields()) as GraphQLField<unknown, unknown>[];
    const rules = (isNameOnly ? table.names : table.fields)[type.name] ?? {};
    const leaves = all.filter((each) => !isCompositeType(getNamedType(each.type)));
    const from = depth > 6 || fields <= 0 ? leaves : all;
    const known = from.filter(({ name }) => Object.hasOwn(rules, name));
    const chosen = known.length > 0 && random() < 0.97 ? known : from;
    if (chosen.length === 0) return '__typename';
    const field = pick(chosen);
    return fieldText(field, rules[field.name], isNameOnly, depth);
  }

  function fieldText(
    field: GraphQLField<unknown, unknown>,
    rule: FieldRule | undefined,
    isNameOnly: boolean,
    depth: number,
  ): string {
    fields -= 1;
    const alias = nextAlias();
    const given = field.args.flatMap((each) => argumentText(each, rule));
    const called = given.length > 0 ? `(${given.join(', ')})` : '';
    const type = getNamedType(field.type);
    const beside = rule?.showsBeside && random() < 0.9 ? ` ${proofText(pick(rule.showsBeside))}` : '';
    const also = rule?.showsBelow && random() < 0.9 ? [proofText(pick(rule.showsBelow))] : [];
    const isName = isNameOnly || rule?.leadsTo === 'name';
    const set = isCompositeType(type) ? ` ${selections(type, isName, depth + 1, also)}` : '';
    return `${alias}: ${field.name}${called} ${condition()}${set}${beside}`;
  }

  function proofText([field, ...rest]: Proof[number]): string {
    if (rest.length > 0) return `${nextAlias()}: ${field} { ${proofText(rest)} }`;
    return `${nextAlias()}: ${field} ${condition()} ${field === 'checkpoint' ? '{ sequenceNumber }' : ''}`;
  }

  function nextAlias(): string {
    aliases += 1;
    return `a${aliases}`;
  }

  function condition(): string {
    const chance = random();
    if (chance < 0.97) return '';
    if (chance < 0.98) return '@skip(if: false)';
    return `@include(if: $${variable('Boolean!', random() < 0.5)})`;
  }

  function argumentText(argument: GraphQLArgument, rule: FieldRule | undefined): string[] {
    const isKnown = rule?.arguments?.includes(argument.name) ?? false;
    if (!isRequiredArgument(argument) && random() > (isKnown ? 0.85 : 0.01)) return [];
    if (random() < 0.3) {
      const isNull = !isNonNullType(argument.type) && random() < 0.1;
      return [`${argument.name}: $${variable(argument.type.toString(), isNull ? null : value(argument.type))}`];
    }
    return [`${argument.name}: ${literal(value(argument.type), argument.type)}`];
  }

  function variable(type: string, sent: unknown): string {
    const name = `v${declared.length}`;
    declared.push(`$${name}: ${type}`);
    variables[name] = sent;
    return name;
  }

  function value(type: GraphQLInputType): unknown {
    const plain = isNonNullType(type) ? type.ofType : type;
    if (isListType(plain)) return Array.from({ length: 1 + below(2) }, () => value(plain.ofType));
    if (isEnumType(plain)) return plain.getValues()[0]?.name;
    if (isInputObjectType(plain)) {
      const members = Object.values(plain.getFields()).filter((each) => isNonNullType(each.type) || random() < 0.6);
      return Object.fromEntries(members.map((each) => [each.name, value(each.type)]));
    }
    const name = plain.toString();
    if (name === 'Boolean') return random() < 0.5;
    if (name === 'Int' || name === 'UInt53') return below(9);
    if (/Address$/.test(name)) return pick(['0x2', '0x3', `0x${'ab'.repeat(32)}`, `0x${'0c'.repeat(32)}`]);
    return `d${below(9)}`;
  }

  function literal(given: unknown, type: GraphQLInputType): string {
    const plain = isNonNullType(type) ? type.ofType : type;
    if (Array.isArray(given) && isListType(plain))
      return `[${given.map((each) => literal(each, plain.ofType)).join(', ')}]`;
    if (isInputObjectType(plain)) {
      const members = Object.entries(given as object).map(
        ([name, member]) => `${name}: ${literal(member, plain.getFields()[name]?.type as GraphQLInputType)}`,
      );
      return `{${members.join(', ')}}`;
    }
    return isEnumType(plain) ? String(given) : JSON.stringify(given);
  }
}

/** mulberry32 */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
