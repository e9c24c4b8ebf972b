import { maxJsonNesting, nestsDeeper } from '../../json/json-shape.ts';
import { parseRequestJson } from '../../json/parse-json.ts';

/** An operation as the body of a request asks for it. */
export interface LaneRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

/** Reads a body that says nothing but what the lane understands; `null` for any other, right or wrong. */
export function toLaneRequest(body: Buffer): LaneRequest | null {
  let value: unknown;
  try {
    value = parseRequestJson(body.toString('utf8'));
  } catch {
    return null;
  }
  if (!isObject(value) || nestsDeeper(value, maxJsonNesting)) return null;
  let query: string | undefined;
  let variables: LaneRequest['variables'] = {};
  let operationName: string | null = null;
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (key === 'query' && typeof member === 'string') query = member;
    else if (key === 'variables' && isObject(member)) variables = member;
    else if (key === 'operationName' && typeof member === 'string' && member !== '') operationName = member;
    else if (key === 'extensions' && isObject(member)) continue;
    else if (key === 'query' || member !== null || !optionalKeys.has(key)) return null;
  }
  return query === undefined ? null : { query, variables, operationName };
}

const optionalKeys: ReadonlySet<string> = new Set(['variables', 'operationName', 'extensions']);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
