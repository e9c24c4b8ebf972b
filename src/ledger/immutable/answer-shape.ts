/** The form that one object of the response must have for the response to be cached. */
export interface AnswerShape {
  /** The allowed members of the object, by response key. */
  readonly keys: ReadonlyMap<string, ShapeKey>;
  /** For each entry, at least one of its paths must be in the response. */
  readonly proofs: readonly KeyProof[];
}

export interface ShapeKey {
  /** Does every object at this position have this key? */
  readonly isCertain: boolean;
  /**
   * `plain`: built-in scalars and enums, lists of them included; `any`: a scalar of the schema, which may be any JSON except
   * `null`; `any items`: a list of those.
   */
  readonly kind: 'plain' | 'any' | 'any items' | AnswerShape;
}

/** Paths of response keys; any one of them proves that the data is final. */
export type KeyProof = readonly (readonly string[])[];

/**
 * Is the response complete and final? It must have every selected key, no other keys, no `null`, and the fields that prove it
 * final.
 * @param data parsed JSON
 */
export function hasShape(data: unknown, shape: AnswerShape): boolean {
  if (!isObject(data)) return false;
  for (const [key, { isCertain }] of shape.keys) if (isCertain && !Object.hasOwn(data, key)) return false;
  for (const key of Object.keys(data)) {
    const asked = shape.keys.get(key);
    if (!asked || !isKnown(data[key], asked.kind)) return false;
  }
  return shape.proofs.every((proof) => proof.some((path) => shows(data, path)));
}

function isKnown(value: unknown, kind: ShapeKey['kind']): boolean {
  if (value === null || value === undefined) return false;
  if (kind === 'any') return true;
  if (kind === 'any items') return Array.isArray(value) && value.every((item) => item !== null);
  if (Array.isArray(value)) return !isUnproven(value, kind) && value.every((item) => isKnown(item, kind));
  return kind === 'plain' ? typeof value !== 'object' : hasShape(value, kind);
}

/** An empty list proves nothing, because its items may not be indexed yet. */
function isUnproven(list: readonly unknown[], kind: ShapeKey['kind']): boolean {
  return list.length === 0 && typeof kind === 'object' && kind.proofs.length > 0;
}

/** Is the path in the data? Need not check for `null`: `isKnown` rejects it under every key. */
function shows(data: unknown, path: readonly string[]): boolean {
  let at = data;
  for (const key of path) {
    if (!isObject(at) || !Object.hasOwn(at, key)) return false;
    at = at[key];
  }
  return true;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Number of keys in a shape, at all levels; at least one. */
export function countKeys({ keys }: AnswerShape): number {
  let count = 1;
  for (const { kind } of keys.values()) count += typeof kind === 'object' ? countKeys(kind) : 1;
  return count;
}
