import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import type { LimitCheck, NetworkRequest } from './network-server.ts';

export interface SuiLimits {
  readonly maxQueryDepth: number;
  readonly maxQueryNodes: number;
  readonly maxOutputNodes: number;
  readonly maxQueryPayloadSize: number;
  readonly maxTransactionPayloadSize: number;
  readonly maxMultiGetSize: number;
  readonly pageSize: (type: string, field: string) => { readonly usual: number; readonly max: number };
}

export const suiLimits: SuiLimits = {
  maxQueryDepth: 20,
  maxQueryNodes: 300,
  maxOutputNodes: 1_000_000,
  maxQueryPayloadSize: 5_000,
  maxTransactionPayloadSize: 174_763,
  maxMultiGetSize: 200,
  pageSize: (type, field) => {
    if (type === 'TransactionEffects' && field === 'objectChanges') return { usual: 1024, max: 1024 };
    if (type === 'Query' && field === 'packages') return { usual: 200, max: 200 };
    return { usual: 20, max: 50 };
  },
};

const payloadArguments = new Set([
  'Mutation.executeTransaction.transactionDataBcs',
  'Mutation.executeTransaction.signatures',
  'Query.simulateTransaction.transaction',
  'Query.verifySignature.message',
  'Query.verifySignature.signature',
  'Query.verifyZkLoginSignature.bytes',
  'Query.verifyZkLoginSignature.signature',
]);

/** A limit that is broken, with the words of the network. */
class Breach extends Error {
  readonly node: SelectionNode | ValueNode | null;
  readonly path: readonly string[];

  constructor(message: string, node: SelectionNode | ValueNode | null = null, path: readonly string[] = []) {
    super(message);
    this.node = node;
    this.path = path;
  }
}

/** Current Sui's limits, counted literally: fragments written out, one selection after the other. For valid documents. */
export function checkSuiLimits(
  schema: GraphQLSchema,
  document: DocumentNode,
  request: Pick<NetworkRequest, 'variables' | 'bytes'>,
  limits: SuiLimits = suiLimits,
): LimitCheck {
  try {
    const input = countInput(document, limits);
    const payload = countPayload(schema, document, request, limits);
    const output = { nodes: countOutput(schema, document, request.variables, limits) };
    return { usage: { input, payload, output } };
  } catch (error) {
    if (!(error instanceof Breach)) throw error;
    return {
      error: new GraphQLError(error.message, {
        ...(error.node && { nodes: [error.node] }),
        ...(error.path.length > 0 && { path: error.path }),
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
      }),
    };
  }
}

const operationsOf = ({ definitions }: DocumentNode) =>
  definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);

function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  return new Map(
    definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [])),
  );
}

function countInput(document: DocumentNode, { maxQueryDepth, maxQueryNodes }: SuiLimits) {
  const fragments = fragmentsOf(document);
  let level = operationsOf(document).flatMap(({ selectionSet }) =>
    selectionSet.selections.map((selection) => ({ selection, path: [] as readonly string[] })),
  );
  let nodes = 0;
  let depth = 0;
  while (level[0]) {
    if (depth === maxQueryDepth)
      throw new Breach(`Query nesting is over ${maxQueryDepth}`, level[0].selection, level[0].path);
    depth += 1;
    level = level.flatMap(({ selection, path }) => {
      if (nodes === maxQueryNodes) throw new Breach(`Query has over ${maxQueryNodes} nodes`, selection, path);
      nodes += 1;
      const set =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? fragments.get(selection.name.value)?.selectionSet
          : selection.selectionSet;
      const below = selection.kind === Kind.FIELD ? [...path, selection.name.value] : path;
      return (set?.selections ?? []).map((each) => ({ selection: each, path: below }));
    });
  }
  return { nodes, depth };
}

interface Visit {
  readonly field: FieldNode;
  readonly parent: GraphQLNamedType;
  readonly path: readonly string[];
  /** Visits what the field selects. */
  readonly enter: (visitor: Visitor) => void;
}

type Visitor = (visit: Visit) => void;

function visitFields(schema: GraphQLSchema, document: DocumentNode, visitor: Visitor): void {
  const fragments = fragmentsOf(document);
  const walk = (
    set: SelectionSetNode | undefined,
    parent: GraphQLNamedType,
    path: readonly string[],
    visit: Visitor,
  ): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value;
        const fields = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields() : {};
        const type = fields[name]?.type;
        const below = [...path, name];
        visit({
          field: selection,
          parent,
          path: below,
          enter: (next) => type && walk(selection.selectionSet, getNamedType(type), below, next),
        });
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const on = selection.typeCondition && schema.getType(selection.typeCondition.name.value);
        walk(selection.selectionSet, on ?? parent, path, visit);
      } else {
        const fragment = fragments.get(selection.name.value);
        const on = fragment && schema.getType(fragment.typeCondition.name.value);
        if (fragment && on) walk(fragment.selectionSet, on, path, visit);
      }
    }
  };
  for (const { operation, selectionSet } of operationsOf(document)) {
    const root = schema.getRootType(operation);
    if (root) walk(selectionSet, root, [], visitor);
  }
}

/** Bytes of transaction payload among the arguments of root fields, each variable counted once. */
export function transactionPayload(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: NetworkRequest['variables'],
  isPayload: (coordinate: string) => boolean,
  onArgument: (total: number, value: ValueNode, path: readonly string[]) => void = () => {},
): number {
  let total = 0;
  const used = new Set<string>();
  const sizeOf = (variable: string) => {
    const sent = used.has(variable) ? undefined : variables[variable];
    used.add(variable);
    return sent === undefined ? 0 : Buffer.byteLength(JSON.stringify(sent));
  };
  visitFields(schema, document, ({ field, parent, path }) => {
    for (const { name, value } of field.arguments ?? []) {
      if (!isPayload(`${parent.name}.${field.name.value}.${name.value}`)) continue;
      total += literalSize(value, sizeOf);
      onArgument(total, value, path);
    }
  });
  return total;
}

function countPayload(
  schema: GraphQLSchema,
  document: DocumentNode,
  { variables, bytes }: Pick<NetworkRequest, 'variables' | 'bytes'>,
  { maxTransactionPayloadSize: max, maxQueryPayloadSize }: SuiLimits,
) {
  const isPayload = (coordinate: string) => payloadArguments.has(coordinate);
  const transaction = transactionPayload(schema, document, variables, isPayload, (total, value, path) => {
    if (total > max) throw new Breach(`Transaction payload exceeded limit of ${max}B`, value, path);
  });
  const query = bytes - transaction;
  if (query > maxQueryPayloadSize) throw new Breach(`Query payload too large: ${query}B > ${maxQueryPayloadSize}B`);
  return { query_payload_size: query, tx_payload_size: transaction };
}

/** As JSON without blanks, with names of members as GraphQL writes them: without quotes. */
function literalSize(value: ValueNode, sizeOf: (variable: string) => number): number {
  const sum = (sizes: readonly number[]) => sizes.reduce((total, each) => total + each, 0);
  const commas = (count: number) => Math.max(0, count - 1);
  switch (value.kind) {
    case Kind.VARIABLE:
      return sizeOf(value.name.value);
    case Kind.STRING:
      return Buffer.byteLength(value.value) + 2;
    case Kind.LIST:
      return 2 + commas(value.values.length) + sum(value.values.map((each) => literalSize(each, sizeOf)));
    case Kind.OBJECT:
      return (
        2 +
        commas(value.fields.length) +
        sum(value.fields.map((each) => each.name.value.length + 1 + literalSize(each.value, sizeOf)))
      );
    case Kind.NULL:
      return 4;
    case Kind.BOOLEAN:
      return String(value.value).length;
    default:
      return value.value.length;
  }
}

function countOutput(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  { maxOutputNodes, maxMultiGetSize, pageSize }: SuiLimits,
): number {
  let total = 0;
  const argument = ({ arguments: given }: FieldNode, name: string): unknown => {
    const value = given?.find((each) => each.name.value === name)?.value;
    if (value?.kind === Kind.VARIABLE) return variables[value.name.value];
    if (value?.kind === Kind.LIST) return value.values;
    return value?.kind === Kind.INT ? Number(value.value) : undefined;
  };
  const toVisitor =
    (multiplicity: number, page: number | null): Visitor =>
    ({ field, parent, path, enter }) => {
      const charge = (amount: number) => {
        total += amount;
        if (total > maxOutputNodes)
          throw new Breach(
            `Query is estimated to produce over ${maxOutputNodes} output nodes. Try fetching fewer fields or fetching fewer items per page in paginated or multi-get fields.`,
            field,
            path,
          );
      };
      charge(multiplicity);
      const name = field.name.value;
      let inside = multiplicity;
      let pageInside = page;
      const keys = name.startsWith('multiGet') ? argument(field, 'keys') : null;
      const fields = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields() : {};
      const type = fields[name]?.type;
      if (name === 'nodes' || name === 'edges') {
        if (page !== null) {
          inside *= page;
          pageInside = null;
          charge(inside);
        }
      } else if (Array.isArray(keys)) {
        if (keys.length > maxMultiGetSize)
          throw new Breach(`Too many keys supplied to multi-get: ${keys.length} > ${maxMultiGetSize}`, field, path);
        inside *= keys.length;
        pageInside = null;
        charge(inside);
      } else if (type && getNamedType(type).name.endsWith('Connection')) {
        const { usual, max } = pageSize(parent.name, name);
        const sizes = ['first', 'last'].map((each) => argument(field, each)).filter(isSize);
        const size = sizes.length > 0 ? Math.max(...sizes) : usual;
        if (size > max) throw new Breach(`Page size is too large: ${size} > ${max}`, field, path);
        pageInside = size;
      }
      enter(toVisitor(inside, pageInside));
    };
  visitFields(schema, document, toVisitor(1, null));
  return total;
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
