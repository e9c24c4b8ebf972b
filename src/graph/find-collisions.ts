import {
  type GraphQLSchema,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  printType,
  specifiedScalarTypes,
} from 'graphql';

const builtIn = new Set(specifiedScalarTypes.map((type) => type.name));

/**
 * Describes each name that both schemas define: stitching would silently merge two such types, and drop one of two root
 * fields. Scalars, the root types, and `PageInfo` with the same fields may be in both.
 */
export function findCollisions(own: GraphQLSchema, ledger: GraphQLSchema): string[] {
  const ledgerRoots = new Set(rootTypes(ledger).map(([, type]) => type));
  const types = Object.values(own.getTypeMap()).flatMap((type) => {
    const ledgerType = ledger.getType(type.name);
    if (!ledgerType || isIntrospectionType(type) || builtIn.has(type.name)) return [];
    if (isScalarType(type) && isScalarType(ledgerType)) return [];
    if (ledgerRoots.has(ledgerType as never) && rootTypes(own).some(([, root]) => root === type)) return [];
    if (type.name === 'PageInfo' && fieldsOf(own) === fieldsOf(ledger)) return [];
    return [`type ${type.name}: the gateway has its own, and the ledger has one too`];
  });
  const ownRoots = new Map(rootTypes(own));
  const fields = rootTypes(ledger).flatMap(([operation, ledgerType]) =>
    Object.keys(ownRoots.get(operation)?.getFields() ?? {})
      .filter((name) => name in ledgerType.getFields())
      .map((name) => `${operation} field ${name}: the gateway has its own, and the ledger has one too`),
  );
  return [...types, ...fields];
}

function rootTypes(schema: GraphQLSchema) {
  return [
    ['query', schema.getQueryType()] as const,
    ['mutation', schema.getMutationType()] as const,
    ['subscription', schema.getSubscriptionType()] as const,
  ].flatMap(([operation, type]) => (type ? [[operation, type] as const] : []));
}

/** Text to compare: fields in alphabetical order, without descriptions. */
function fieldsOf(schema: GraphQLSchema): string {
  const type = schema.getType('PageInfo');
  if (!isObjectType(type)) return type ? printType(type) : '';
  return Object.values(type.getFields())
    .map((field) => `${field.name}:${field.type}(${field.args.map((arg) => `${arg.name}:${arg.type}`)})`)
    .sort()
    .join();
}
