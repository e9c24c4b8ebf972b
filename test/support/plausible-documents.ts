import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { featureOf } from '../../src/devnet/graphql/validation/feature-rule.ts';

export interface PlausibleDocument {
  readonly text: string;
  readonly variables: Record<string, number>;
}

/** The ledger rejects a document with a field of a disabled feature even if the field is skipped, so no document has one. */
const isServed = ({ name }: GraphQLField<unknown, unknown>) => featureOf(name) !== 'SYSTEM_STATE';

/**
 * A document as a person could write it for the schema: valid, with pages, nested connections, variables, fragments and type
 * conditions. The same seed gives the same document.
 */
export function plausibleDocument(schema: GraphQLSchema, seed: number): PlausibleDocument {
  const random = seededRandom(seed);
  const below = (bound: number) => Math.floor(random() * bound);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const variables: Record<string, number> = {};
  const fragments = new Map<string, string>();
  const fragmentsOn = new Map<string, string[]>();
  const budget = { fields: 10 + below(120) };
  let aliases = 0;

  const query = schema.getQueryType();
  if (!query) throw new Error('the schema has no queries');
  const body = selections(query, 0);
  const declared = Object.keys(variables).map((name) => `$${name}: Int`);
  const head = declared.length > 0 ? `query Q(${declared.join(', ')})` : 'query Q';
  return { text: [`${head} ${body}`, ...fragments.values()].join('\n'), variables };

  function selections(type: GraphQLOutputType, depth: number): string {
    const parts: string[] = [];
    const named = getNamedType(type);
    for (let wanted = 1 + below(4); wanted > 0; wanted -= 1) parts.push(selection(named, depth));
    return `{ ${parts.join(' ')} }`;
  }

  function selection(type: GraphQLNamedType, depth: number): string {
    if (isAbstractType(type) && random() < 0.6) {
      const possible = pick(schema.getPossibleTypes(type));
      return `... on ${possible.name} ${selections(possible, depth + 1)}`;
    }
    if (!('getFields' in type) || random() < 0.08) return '__typename';
    if (random() < 0.12 && depth > 0) return spread(type.name, type as GraphQLOutputType, depth);
    const fields = (Object.values(type.getFields()) as GraphQLField<unknown, unknown>[]).filter(isServed);
    const leaves = fields.filter((each) => !isCompositeType(getNamedType(each.type)));
    const isLast = depth > 10 || budget.fields <= 0;
    const rows = fields.filter(({ name }) => name === 'nodes' || name === 'edges');
    const chosen = isLast ? leaves : rows.length > 0 && random() < 0.7 ? rows : fields;
    if (chosen.length === 0) return '__typename';
    return fieldText(pick(chosen), depth);
  }

  function fieldText(field: GraphQLField<unknown, unknown>, depth: number): string {
    budget.fields -= 1;
    aliases += 1;
    // Unique, and chosen before the nested fields take the next one: no two fields of a document can conflict.
    const alias = `a${aliases}`;
    const given = field.args.flatMap((each) => argumentText(each));
    const called = given.length > 0 ? `(${given.join(', ')})` : '';
    const skipped = random() < 0.05 ? ' @skip(if: true)' : '';
    const set = isCompositeType(getNamedType(field.type)) ? ` ${selections(field.type, depth + 1)}` : '';
    return `${alias}: ${field.name}${called}${skipped}${set}`;
  }

  function argumentText(argument: GraphQLArgument): string[] {
    if (argument.name === 'first' || argument.name === 'last') {
      const chance = random();
      if (chance > 0.5) return [];
      if (chance > 0.2) return [`${argument.name}: ${below(60)}`];
      const name = `n${Object.keys(variables).length}`;
      variables[name] = below(60);
      return [`${argument.name}: $${name}`];
    }
    return isRequiredArgument(argument) ? [`${argument.name}: ${literal(argument.type)}`] : [];
  }

  function literal(type: GraphQLInputType): string {
    const plain = isNonNullType(type) ? type.ofType : type;
    if (isListType(plain)) return `[${literal(plain.ofType)}]`;
    if (isEnumType(plain)) return plain.getValues()[0]?.name ?? 'null';
    if (isInputObjectType(plain)) {
      const required = Object.values(plain.getFields()).filter(isRequiredInputField);
      return `{${required.map((each) => `${each.name}: ${literal(each.type)}`).join(', ')}}`;
    }
    if (plain.toString() === 'Boolean') return 'true';
    return /^(Int|UInt53)$/.test(plain.toString()) ? '1' : '"0x2"';
  }

  function spread(typeName: string, type: GraphQLOutputType, depth: number): string {
    const known = fragmentsOn.get(typeName) ?? [];
    fragmentsOn.set(typeName, known);
    if (known.length > 0 && random() < 0.6) return `...${pick(known)}`;
    const name = `F${fragments.size}`;
    // Reserved before it is written and offered only afterwards, so a fragment cannot contain itself.
    fragments.set(name, '');
    fragments.set(name, `fragment ${name} on ${typeName} ${selections(type, depth + 1)}`);
    known.push(name);
    return `...${name}`;
  }
}

/** mulberry32 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
