import {
  type GraphQLSchema,
  type IntrospectionQuery,
  introspectionTypes,
  parseValue,
  specifiedScalarTypes,
  validateSchema,
} from 'graphql';
import { isObject } from '../json/exact-json.ts';
import { buildLedgerSchema } from '../ledger/fetch-ledger-schema.ts';

/** The ledger's schema, or its valid parts. */
export interface ValidParts {
  /** `null` if no valid part has a query. */
  readonly schema: GraphQLSchema | null;
  /** What was left out, with the reasons; empty for a valid schema. */
  readonly faults: readonly string[];
}

/** A malformed schema may take several rounds: leaving out one part makes others invalid. */
const maxRounds = 20;

/**
 * Builds the ledger's schema without its invalid parts. One invalid type would make graphql-js reject every request, also those
 * that do not use it.
 */
export function buildValidParts(introspection: IntrospectionQuery): ValidParts {
  const { schema, problems } = build(introspection);
  if (schema && problems.length === 0) return { schema, faults: [] };
  const parts = new Parts(introspection);
  for (let round = 0; round < maxRounds; round += 1) {
    parts.dropUnusable();
    const written = parts.write();
    if (!written) break;
    const built = build(written);
    if (built.schema && built.problems.length === 0) return { schema: built.schema, faults: parts.faults };
    if (!built.problems.some((problem) => parts.drop(problem))) break;
  }
  return { schema: null, faults: parts.faults.length > 0 ? parts.faults : problems };
}

function build(introspection: IntrospectionQuery): { schema: GraphQLSchema | null; problems: readonly string[] } {
  try {
    const schema = buildLedgerSchema(introspection);
    return { schema, problems: validateSchema(schema).map(({ message }) => message) };
  } catch (error) {
    return { schema: null, problems: [error instanceof Error ? error.message : String(error)] };
  }
}

type Entry = Record<string, unknown>;

const ownTypes: ReadonlySet<string> = new Set(introspectionTypes.map(({ name }) => name));
const builtIn: ReadonlySet<string> = new Set(specifiedScalarTypes.map(({ name }) => name));
const outputKinds = new Set(['SCALAR', 'OBJECT', 'INTERFACE', 'UNION', 'ENUM']);
const inputKinds = new Set(['SCALAR', 'ENUM', 'INPUT_OBJECT']);
const reservedValues = new Set(['true', 'false', 'null']);

/** An introspection result from which parts are dropped. Nothing about its form is assumed. */
class Parts {
  readonly faults: string[] = [];
  readonly #schema: Entry;
  readonly #types = new Map<string, Entry>();
  readonly #others: readonly unknown[];

  constructor({ __schema }: IntrospectionQuery) {
    this.#schema = isObject(__schema) ? __schema : {};
    const types = entries(this.#schema.types);
    this.#others = types.filter(({ name }) => ownTypes.has(String(name)));
    for (const type of types) {
      const name = String(type.name);
      if (ownTypes.has(name)) continue;
      const fault =
        nameFault(type.name) ??
        (outputKinds.has(kindOf(type)) || kindOf(type) === 'INPUT_OBJECT' ? null : 'its kind is unknown');
      if (fault) this.faults.push(`type ${name}: ${fault}`);
      else this.#types.set(name, structuredClone(type));
    }
  }

  /** Drops everything that refers to what is not there, until nothing does. */
  dropUnusable(): void {
    for (let before = -1; before !== this.faults.length; ) {
      before = this.faults.length;
      for (const [name, type] of this.#types) this.#dropMembers(name, type);
      for (const [name, type] of this.#types) {
        const what = membersOf(type);
        if (what && entries(type[what.key]).length === 0) this.#dropType(name, `it has no ${what.says}`);
      }
    }
  }

  /** Drops what a message of graphql-js names. @returns whether it names anything */
  drop(message: string): boolean {
    const words: readonly string[] = message.match(/[_A-Za-z]\w*/g) ?? [];
    const named = words.filter((word) => this.#types.has(word) && !this.#isQuery(word));
    const implemented = named
      .flatMap((name) => named.map((other) => [name, other] as const))
      .find(([name, other]) => namesOf(this.#types.get(name)?.interfaces).includes(other));
    if (implemented) {
      const [name, other] = implemented;
      this.faults.push(`type ${name} as ${other}: ${message}`);
      this.#unlink(name, other);
      return true;
    }
    for (const [, name = '', member = ''] of message.matchAll(/([_A-Za-z]\w*)\.([_A-Za-z]\w*)/g)) {
      const type = this.#types.get(name);
      const key = type && membersOf(type)?.key;
      if (!type || !key || !namesOf(type[key]).includes(member)) continue;
      this.faults.push(`${name}.${member}: ${message}`);
      type[key] = entries(type[key]).filter((each) => each.name !== member);
      return true;
    }
    const [name] = named;
    if (name !== undefined) {
      this.#dropType(name, message);
      return true;
    }
    const directive = entries(this.#schema.directives).find((each) => words.includes(String(each.name)));
    if (directive) this.#dropDirective(String(directive.name), message);
    return directive !== undefined;
  }

  /** @returns `null` if there is no type of queries */
  write(): IntrospectionQuery | null {
    const query = this.#rootName('queryType');
    if (query === null) return null;
    for (const directive of entries(this.#schema.directives)) {
      const fault = nameFault(directive.name) ?? this.#argumentsFault(directive);
      if (fault) this.#dropDirective(String(directive.name), fault);
    }
    const schema = {
      ...this.#schema,
      types: [...this.#others, ...this.#types.values()],
      queryType: { name: query },
      mutationType: toNamed(this.#rootName('mutationType')),
      subscriptionType: toNamed(this.#rootName('subscriptionType')),
      directives: entries(this.#schema.directives),
    };
    return { __schema: schema } as unknown as IntrospectionQuery;
  }

  #rootName(key: string): string | null {
    const root = this.#schema[key];
    const name = isObject(root) ? String(root.name) : null;
    return name !== null && kindOf(this.#types.get(name)) === 'OBJECT' ? name : null;
  }

  #isQuery(name: string): boolean {
    return name === this.#rootName('queryType');
  }

  #dropMembers(name: string, type: Entry): void {
    const kind = kindOf(type);
    const keep = (key: string, faultOf: (entry: Entry) => string | null) => {
      type[key] = entries(type[key]).filter((entry) => {
        const fault = faultOf(entry);
        if (fault) this.faults.push(`${name}.${String(entry.name)}: ${fault}`);
        return fault === null;
      });
    };
    if (kind === 'OBJECT' || kind === 'INTERFACE') {
      keep(
        'fields',
        (field) => nameFault(field.name) ?? this.#typeFault(field.type, outputKinds) ?? this.#argumentsFault(field),
      );
      keep('interfaces', ({ name: other }) =>
        kindOf(this.#types.get(String(other))) === 'INTERFACE' ? null : 'it is no interface',
      );
    }
    if (kind === 'INTERFACE') type.possibleTypes = this.#objectsOf(type);
    if (kind === 'UNION') type.possibleTypes = this.#objectsOf(type);
    if (kind === 'ENUM')
      keep(
        'enumValues',
        ({ name: value }) => nameFault(value) ?? (reservedValues.has(String(value)) ? 'its name is reserved' : null),
      );
    if (kind === 'INPUT_OBJECT')
      keep('inputFields', (field) => {
        dropUnreadableDefault(field);
        return nameFault(field.name) ?? this.#typeFault(field.type, inputKinds);
      });
  }

  #objectsOf({ possibleTypes }: Entry): readonly Entry[] {
    const names = new Set(namesOf(possibleTypes));
    return entries(possibleTypes).filter(
      ({ name }) => kindOf(this.#types.get(String(name))) === 'OBJECT' && names.delete(String(name)),
    );
  }

  #argumentsFault(field: Entry): string | null {
    for (const argument of entries(field.args)) {
      dropUnreadableDefault(argument);
      const fault = nameFault(argument.name) ?? this.#typeFault(argument.type, inputKinds);
      if (fault) return `its argument ${String(argument.name)}: ${fault}`;
    }
    field.args = entries(field.args);
    return null;
  }

  /** Why a reference leads to no type of these kinds; `null` if it does. */
  #typeFault(reference: unknown, kinds: ReadonlySet<string>): string | null {
    let type: unknown = reference;
    for (let depth = 0; isObject(type) && (type.kind === 'LIST' || type.kind === 'NON_NULL'); depth += 1) {
      const below: unknown = type.ofType;
      const isDouble = type.kind === 'NON_NULL' && isObject(below) && below.kind === 'NON_NULL';
      if (depth > maxWrappers || isDouble) return 'its type is malformed';
      type = below;
    }
    const name = isObject(type) ? String(type.name) : '';
    const kind = builtIn.has(name) ? 'SCALAR' : kindOf(this.#types.get(name));
    return kinds.has(kind) ? null : `its type ${name} cannot be served`;
  }

  #dropType(name: string, reason: string): void {
    this.faults.push(`type ${name}: ${reason}`);
    this.#types.delete(name);
  }

  #dropDirective(name: string, reason: string): void {
    this.faults.push(`directive @${name}: ${reason}`);
    this.#schema.directives = entries(this.#schema.directives).filter((each) => String(each.name) !== name);
  }

  #unlink(name: string, other: string): void {
    const [type, from] = [this.#types.get(name), this.#types.get(other)];
    if (type) type.interfaces = entries(type.interfaces).filter((each) => each.name !== other);
    if (from) from.possibleTypes = entries(from.possibleTypes).filter((each) => each.name !== name);
  }
}

/** Lists and non-null types around a type; introspection queries read no more. */
const maxWrappers = 9;

function entries(value: unknown): Entry[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function namesOf(value: unknown): string[] {
  return entries(value).map(({ name }) => String(name));
}

function kindOf(type: Entry | undefined): string {
  return String(type?.kind ?? '');
}

function toNamed(name: string | null): { readonly name: string } | null {
  return name === null ? null : { name };
}

/** The members that a type must have at least one of; `null` for a scalar. */
function membersOf(type: Entry): { readonly key: string; readonly says: string } | null {
  switch (kindOf(type)) {
    case 'OBJECT':
    case 'INTERFACE':
      return { key: 'fields', says: 'fields' };
    case 'ENUM':
      return { key: 'enumValues', says: 'values' };
    case 'INPUT_OBJECT':
      return { key: 'inputFields', says: 'fields' };
    case 'UNION':
      return { key: 'possibleTypes', says: 'members' };
    default:
      return null;
  }
}

function nameFault(name: unknown): string | null {
  if (typeof name !== 'string' || !/^[_A-Za-z]\w*$/.test(name)) return 'its name is no name of GraphQL';
  return name.startsWith('__') ? 'its name begins with "__"' : null;
}

function dropUnreadableDefault(input: Entry): void {
  if (input.defaultValue == null) return;
  try {
    parseValue(String(input.defaultValue));
  } catch {
    input.defaultValue = null;
  }
}
