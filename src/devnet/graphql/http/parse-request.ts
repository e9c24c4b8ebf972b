/** A GraphQL request, as read from its body. */
export interface GraphqlRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
  /** Bytes of the whole body. */
  readonly bodyBytes: number;
}

/**
 * Reads a request from a body, or returns a text that says what is wrong with it. Unknown members are ignored, a
 * missing query is an empty one, and an array is refused: there is no batching.
 */
export function parseRequest(body: string): GraphqlRequest | string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return 'Invalid request: the body is not JSON';
  }
  if (!isRecord(value)) return 'Invalid request: expected a JSON object';
  const { query = '', variables, operationName } = value;
  if (typeof query !== 'string') return 'Invalid request: `query` is not text';
  if (variables != null && !isRecord(variables)) return 'Invalid request: `variables` is not an object';
  if (operationName != null && typeof operationName !== 'string') return 'Invalid request: `operationName` is not text';
  return {
    query,
    variables: variables ?? {},
    operationName: operationName ?? null,
    bodyBytes: Buffer.byteLength(body),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
