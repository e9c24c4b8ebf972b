import {
  type ASTNode,
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  type SelectionNode,
  visit,
} from 'graphql';
import { fragmentsOf, usedFragments, walkFields } from '../../documents/selections.ts';
import { boundItemAnswer } from '../../engine/bound-answer.ts';
import { coerceVariables, declareTexts, toExecutable } from '../../engine/coerce-variables.ts';
import { createExecuteStitched, type ExecuteStitched } from '../../engine/execute-stitched.ts';
import type { OperationContext } from '../../upstream/operation-context.ts';
import type { ResultTexts, SharedResults } from './shared-results.ts';

export interface OpenStreamOptions {
  /** Schema that results are executed on: the whole graph if the stream has joins, else our own part. */
  readonly schema: GraphQLSchema;
  readonly ownSchema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | null;
  /** Variables declared with a scalar of the ledger and used as a String. */
  readonly texts: ReadonlySet<string>;
  /** Results printed once for all streams that send the same. */
  readonly printed: ResultTexts;
}

/** An open subscription. */
export interface ItemStream {
  readonly items: AsyncIterator<unknown>;
  /** Executes the selection on an item. */
  readonly execute: (item: unknown, context: OperationContext) => ReturnType<ExecuteStitched>;
  /**
   * Joins the streams that send the same result for the same item. Left out where results are only forwarded.
   * @param rest what a result contains beside the item's data
   */
  readonly share?: (rest: string) => SharedResults;
}

/** Opens a subscription, or returns the errors that reject it. Rejects as `subscribe` of graphql-js does. */
export type OpenStream = (
  variables: Readonly<Record<string, unknown>>,
  context: OperationContext,
) => Promise<ItemStream | ExecutionResult>;

export function createOpenStream(options: OpenStreamOptions): OpenStream {
  const { schema, ownSchema, operationName, texts } = options;
  const operation = getOperationAST(options.document, operationName);
  const document = schema === ownSchema ? declareTexts(options.document, texts) : options.document;
  const execute = boundItemAnswer(createExecuteStitched(schema, document, operationName));
  const join = options.printed.ofDocument();
  const resultVariables = operation ? findResultVariables(document, operation) : [];
  return async (variables, context) => {
    const { errors } = operation ? coerceVariables(schema, operation, variables, { texts }) : {};
    if (errors) return { errors };
    const variableValues = operation ? toExecutable(schema, operation, variables) : variables;
    const source = await createSourceEventStream({
      schema,
      document,
      operationName,
      variableValues,
      contextValue: context,
    });
    if (!(Symbol.asyncIterator in source)) return source;
    return {
      items: source[Symbol.asyncIterator](),
      execute: (item, itemContext) => execute(variables, itemContext, item),
      share: (rest) => join(JSON.stringify([rest, ...resultVariables.map((name) => sentAs(variables, name))])),
    };
  };
}

/** A variable that was left out may have a default, unlike one that is null. */
function sentAs(variables: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  return Object.hasOwn(variables, name) ? [variables[name]] : [];
}

/**
 * Names of the variables that decide the result of a known item: all but those in the arguments of the root field, which decide
 * which items there are.
 */
export function findResultVariables(
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
): readonly string[] {
  const fragments = fragmentsOf(document);
  const names = new Set<string>();
  const readVariables = (node: ASTNode) => visit(node, { Variable: ({ name }) => void names.add(name.value) });
  const readDirectives = ({ directives }: SelectionNode) => {
    for (const directive of directives ?? []) readVariables(directive);
    return true;
  };
  walkFields([{ selectionSet, on: null }], fragments, {
    isIncluded: readDirectives,
    onField: ({ selectionSet: below }) => {
      if (!below) return;
      for (const each of [below, ...usedFragments(below, fragments).map((used) => used.selectionSet)])
        readVariables(each);
    },
  });
  return [...names].sort();
}
