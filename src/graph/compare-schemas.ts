import {
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLEnumValue,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';

export interface SchemaChange {
  /**
   * `breaking`: a valid operation may become invalid. `dangerous`: clients may receive unexpected values, or send ones with
   * another meaning.
   */
  readonly kind: 'breaking' | 'dangerous' | 'safe';
  readonly text: string;
}

/** The differences between two schemas, breaking ones first. Ignores descriptions and the order of definitions. */
export function compareSchemas(before: GraphQLSchema, after: GraphQLSchema): readonly SchemaChange[] {
  // A built-in scalar leaves a schema with its last use, which is in the list already.
  const breaking = findBreakingChanges(before, after)
    .map(({ description }) => description)
    .filter((text) => !text.startsWith('Standard scalar '));
  const dangerous = findDangerousChanges(before, after).map(({ description }) => description);
  const known = new Set([...breaking, ...dangerous]);
  const safe = findSafeChanges(before, after).filter((text) => !known.has(text));
  const toChanges = (kind: SchemaChange['kind'], texts: readonly string[]) => texts.map((text) => ({ kind, text }));
  return [...toChanges('breaking', breaking), ...toChanges('dangerous', dangerous), ...toChanges('safe', safe)];
}

/** graphql-js does not list these. Type changes include the breaking ones, in the words of graphql-js. */
function findSafeChanges(before: GraphQLSchema, after: GraphQLSchema): readonly string[] {
  const types = Object.values(after.getTypeMap()).flatMap((type) => {
    const previous = before.getType(type.name);
    if (!previous) return isSpecifiedScalarType(type) ? [] : [`${type.name} was added.`];
    const known = new Map(membersOf(previous).map((member) => [member.name, member]));
    return membersOf(type).flatMap((member) => {
      const old = known.get(member.name);
      return old ? compareMembers(old, member) : member.kind === 'field' ? [`${member.name} was added.`] : [];
    });
  });
  const directives = after.getDirectives().filter(({ name }) => !before.getDirective(name));
  return [...types, ...directives.map(({ name }) => `@${name} was added.`)];
}

interface Member {
  readonly kind: 'field' | 'argument' | 'input field' | 'enum value';
  readonly name: string;
  readonly type: string;
  readonly deprecationReason: string | null;
}

type Declared = Pick<GraphQLEnumValue, 'name' | 'deprecationReason'> & { readonly type?: GraphQLType };

function membersOf(type: GraphQLNamedType): readonly Member[] {
  const toMember = (kind: Member['kind'], prefix: string, { name, type, deprecationReason }: Declared): Member => ({
    kind,
    name: prefix + name,
    type: String(type),
    deprecationReason: deprecationReason ?? null,
  });
  const prefix = `${type.name}.`;
  if (isEnumType(type)) return type.getValues().map((value) => toMember('enum value', prefix, value));
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => toMember('input field', prefix, field));
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => [
    toMember('field', prefix, field),
    ...field.args.map((argument) => toMember('argument', `${prefix}${field.name} arg `, argument)),
  ]);
}

function compareMembers(old: Member, { kind, name, type, deprecationReason }: Member): readonly string[] {
  const texts: string[] = [];
  if (old.type !== type)
    texts.push(`${name}${kind === 'argument' ? ' has' : ''} changed type from ${old.type} to ${type}.`);
  if (old.deprecationReason !== null && deprecationReason === null) texts.push(`${name} is no longer deprecated.`);
  if (old.deprecationReason === null && deprecationReason !== null)
    texts.push(`${name} is deprecated: ${deprecationReason}`);
  return texts;
}
