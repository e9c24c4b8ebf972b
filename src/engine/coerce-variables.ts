import {
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  isNonNullType,
  type OperationDefinitionNode,
  print,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { putVariable } from '../documents/plan/put-variable.ts';
import { showValue } from '../json/show-value.ts';
import { coerceInput, type InputPath } from './coerce-input.ts';
import { noTexts, variableType } from './variable-type.ts';

/**
 * Errors of variables that are reported. Each shows the wrong value, so a large value with a thousand mistakes would be
 * written a thousand times.
 */
export const maxVariableErrors = 5;
/** In characters; longer messages are cut. */
const maxMessageLength = 500;
const maxShown = 200;

export interface CoerceOptions {
  /** Errors that are reported at most. */
  readonly maxErrors?: number | undefined;
  /** Variables that are declared with a scalar of the ledger in place of a text. */
  readonly texts?: ReadonlySet<string>;
}

export type CoercedVariables =
  | { readonly errors: readonly GraphQLError[] }
  | { readonly errors?: never; readonly values: Record<string, unknown> };

/** Thrown to stop once `maxErrors` are found. */
const enough = new Error('enough mistakes');

/**
 * Coerces the variables that were sent, or reports what is wrong with them in the words of graphql-js, without its
 * suggestions of names. Takes time linear in what was sent.
 */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  { maxErrors = maxVariableErrors, texts = noTexts }: CoerceOptions = {},
): CoercedVariables {
  const errors: GraphQLError[] = [];
  const values: Record<string, unknown> = {};
  const tell = (definition: VariableDefinitionNode, message: string, cause?: unknown): void => {
    if (errors.length === maxErrors) {
      errors.push(new GraphQLError('Too many errors processing variables, error limit reached. Execution aborted.'));
      throw enough;
    }
    const text = message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message;
    const extensions = cause instanceof GraphQLError ? cause.extensions : null;
    errors.push(new GraphQLError(text, { nodes: definition, extensions }));
  };
  try {
    for (const definition of variableDefinitions) {
      const type = variableType(schema, definition, texts);
      // Validated documents declare input types only.
      if (!type) throw new Error(`variable $${definition.variable.name.value} is not of an input type`);
      coerceVariable(definition, type, variables, values, tell);
    }
  } catch (error) {
    if (error !== enough) throw error;
  }
  return errors.length > 0 ? { errors } : { values };
}

type Tell = (definition: VariableDefinitionNode, message: string, cause?: unknown) => void;

function coerceVariable(
  definition: VariableDefinitionNode,
  type: GraphQLInputType,
  sent: Readonly<Record<string, unknown>>,
  values: Record<string, unknown>,
  tell: Tell,
): void {
  const name = definition.variable.name.value;
  if (!Object.hasOwn(sent, name)) {
    if (definition.defaultValue) putVariable(values, name, valueFromAST(definition.defaultValue, type));
    else if (isNonNullType(type))
      tell(definition, `Variable "$${name}" of required type "${print(definition.type)}" was not provided.`);
    return;
  }
  const value = sent[name];
  if (value === null && isNonNullType(type)) {
    tell(definition, `Variable "$${name}" of non-null type "${print(definition.type)}" must not be null.`);
    return;
  }
  // Mistakes of one object come in a row: print it once for all of them.
  let shownValue: unknown;
  let shown: string | null = null;
  const coerced = coerceInput(value, type, (path, wrong, message, cause) => {
    const at = path ? ` at "${name}${showPath(path)}"` : '';
    if (shown === null || shownValue !== wrong) {
      shownValue = wrong;
      shown = showValue(wrong, maxShown);
    }
    tell(definition, `Variable "$${name}" got invalid value ${shown}${at}; ${message}`, cause);
  });
  putVariable(values, name, coerced);
}

function showPath(path: InputPath): string {
  const text = typeof path.key === 'number' ? `[${path.key}]` : `.${path.key}`;
  return path.above ? `${showPath(path.above)}${text}` : text;
}
