import { type GraphQLSchema, getNamedType, isInputObjectType, isScalarType, isSpecifiedScalarType } from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
import type { IdInputs } from '../documents/validation/validate-document.ts';

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
