import {
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql';
import { collectFields } from '../documents/selections.ts';
import { compileArguments, toInfo } from './compile-fields.ts';

export interface SourceOptions {
  readonly schema: GraphQLSchema;
  /** A subscription. */
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/**
 * Opens the items of a subscription, as `createSourceEventStream` of graphql-js does; returns the error that rejects it.
 * @param variables coerced, with declared defaults filled in
 */
export async function openSource(
  { schema, operation, fragments }: SourceOptions,
  variables: Readonly<Record<string, unknown>>,
  context: unknown,
): Promise<{ readonly items: unknown } | ExecutionResult> {
  const parent = schema.getSubscriptionType();
  const [found] = parent ? collectFields(parent, [operation.selectionSet], { schema, fragments, variables }) : [];
  const [key = '', nodes = []] = found ?? [];
  const field = parent?.getFields()[nodes[0]?.name.value ?? ''];
  if (!parent || !field?.subscribe) throw new Error('the schema has no such subscription');
  const path = { prev: undefined, key, typename: parent.name };
  const fragmentsByName = Object.assign(Object.create(null), Object.fromEntries(fragments));
  const scope = { schema, shownSchema: schema, operation, fragmentsByName };
  let source: unknown;
  try {
    const args = compileArguments(field, nodes[0] as FieldNode)(variables);
    source = await field.subscribe(
      undefined,
      args,
      context,
      toInfo({ parent, field, nodes, scope }, path, { variables }),
    );
    if (source instanceof Error) throw source;
  } catch (error) {
    return { errors: [locatedError(error, nodes, [key])] };
  }
  return { items: source };
}
