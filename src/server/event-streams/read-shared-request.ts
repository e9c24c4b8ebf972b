import { parseRequestJson } from '../../json/parse-json.ts';
import type { OperationRequest } from '../../operation/admit-operation.ts';

/** An operation whose results go to a stream, under an id that its client chose. */
export interface SharedRequest extends OperationRequest {
  readonly operationId: string;
}

/** In characters. It is repeated in each event. */
const maxIdLength = 128;

/** @returns why it cannot be read, if it cannot */
export function readSharedRequest(body: string): SharedRequest | string {
  let value: unknown;
  try {
    value = parseRequestJson(body);
  } catch {
    return 'The request body must be JSON.';
  }
  if (!isObject(value)) return 'The request body must be one operation, as a JSON object.';
  const { query, variables, operationName, extensions } = value;
  if (typeof query !== 'string' || query === '') return 'The member "query" must be a text.';
  if (variables != null && !isObject(variables)) return 'The member "variables" must be an object.';
  if (operationName != null && typeof operationName !== 'string') return 'The member "operationName" must be a text.';
  const operationId = isObject(extensions) ? extensions.operationId : undefined;
  if (!isOperationId(operationId)) {
    return `An operation of an event stream needs a text of 1 to ${maxIdLength} characters as "extensions.operationId".`;
  }
  return { query, variables: variables ?? {}, operationName: operationName ?? null, operationId };
}

export function isOperationId(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= maxIdLength;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
