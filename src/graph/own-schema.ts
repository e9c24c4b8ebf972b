import { readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { IResolvers } from '@graphql-tools/utils';
import {
  GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isScalarType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
} from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
import type { IdInputs } from '../documents/validation/validate-document.ts';
import type { OwnFieldsUpstream } from '../upstream/upstream.ts';
import { sharedScalars } from './scalars.ts';

/** The gateway's fields about itself, and the scalars of all upstreams' parts. */
const gatewayTypeDefs = new URL('../../schema/gateway.graphql', import.meta.url);

/**
 * Builds the executable schema of everything except the ledger's part: the gateway's own fields, and those of the upstreams.
 */
export function createOwnSchema(
  upstreams: readonly Pick<OwnFieldsUpstream, 'typeDefs'>[],
  resolvers: readonly object[] = [],
): GraphQLSchema {
  const marked = makeExecutableSchema({
    typeDefs: [...upstreams.map((upstream) => upstream.typeDefs()), readFileSync(gatewayTypeDefs, 'utf8')],
    resolvers: [{ ...sharedScalars }, ...(resolvers as IResolvers[])],
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  // Directives in our SDL are for the gateway, not for clients. The nodes of the SDL keep them.
  const { directives, ...config } = marked.toConfig();
  return new GraphQLSchema({ ...config, directives: directives.filter(isSpecifiedDirective) });
}

/** Root fields whose pages take several upstream calls. Our SDL marks them. */
export function fieldsReadByCalls(ownSchema: GraphQLSchema): ReadonlySet<string> {
  const fields = Object.values(ownSchema.getQueryType()?.getFields() ?? {});
  const isMarked = ({ astNode }: (typeof fields)[number]) =>
    astNode?.directives?.some((directive) => directive.name.value === 'readByCalls') ?? false;
  return new Set(fields.filter(isMarked).map((field) => field.name));
}

/** Finds the gateway's inputs that are marked as ids, and the ledger's scalars for the same ids. */
export function findIdInputs(own: GraphQLSchema, ledger: GraphQLSchema, names: NetworkProfile['joins']): IdInputs {
  const scalarOf = (target: keyof NetworkProfile['joins']): readonly string[] => {
    const { field, id } = names[target];
    const roots = [field].flat().flatMap((name) => ledger.getQueryType()?.getFields()[name] ?? []);
    const ids = roots.flatMap(({ args }) => args.filter(({ name }) => name === id));
    const types = ids.map((argument) => getNamedType(argument.type));
    // Built-in scalars are the same type in both schemas.
    return types.flatMap((type) => (isScalarType(type) && !isSpecifiedScalarType(type) ? [type.name] : []));
  };
  const scalars: Readonly<Record<string, ReadonlySet<string>>> = {
    address: new Set([...scalarOf('address'), ...scalarOf('object')]),
    digest: new Set(scalarOf('transaction')),
  };
  const inputs = new Map<string, ReadonlySet<string>>();
  for (const type of Object.values(own.getTypeMap())) {
    if (!isInputObjectType(type)) continue;
    for (const { name, astNode } of Object.values(type.getFields())) {
      const mark = astNode?.directives?.find((directive) => Object.hasOwn(scalars, directive.name.value));
      const taken = mark && scalars[mark.name.value];
      if (taken && taken.size > 0) inputs.set(`${type.name}.${name}`, taken);
    }
  }
  return inputs;
}
