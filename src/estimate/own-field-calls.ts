import { Kind, parse } from 'graphql';
import type { Config } from '../config/config.ts';
import type { FieldCalls, OwnFieldsUpstream, RootField } from '../upstream/upstream.ts';
import { isConfigured } from '../upstream/upstream.ts';

/** The calls that a root field of ours takes; `null` if it answers nothing, so that no joins follow. */
export type OwnFieldCalls = (field: RootField) => FieldCalls | null;

const rootTypes: ReadonlyMap<string, RootField['operation']> = new Map([
  ['Query', 'query'],
  ['Mutation', 'mutation'],
]);
const nothing: FieldCalls = { calls: 0 };

/** Asks the upstream whose field it is. A field of none is about the gateway itself and takes no call. */
export function createOwnFieldCalls(
  upstreams: readonly OwnFieldsUpstream[],
  config: Pick<Config, 'upstreams' | 'pages'>,
): OwnFieldCalls {
  const owners = new Map(
    upstreams.flatMap((upstream) =>
      rootFieldsOf(upstream.typeDefs()).map((field) => [field, { upstream, has: isConfigured(upstream, config) }]),
    ),
  );
  return (field) => {
    const owner = owners.get(`${field.operation}.${field.name}`);
    if (!owner) return nothing;
    // Without an address of the upstream its fields answer an error at once.
    const cost = owner.has ? owner.upstream.callsOf(field, config) : null;
    const shared = cost?.shared?.map((name) => `${owner.upstream.name}.${name}`);
    return cost && { ...cost, ...(shared && { shared }) };
  };
}

/** Each as `query.name` or `mutation.name`. */
function rootFieldsOf(typeDefs: string): string[] {
  return parse(typeDefs, { noLocation: true }).definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.OBJECT_TYPE_EXTENSION) return [];
    const operation = rootTypes.get(definition.name.value);
    return operation ? (definition.fields ?? []).map(({ name }) => `${operation}.${name.value}`) : [];
  });
}
