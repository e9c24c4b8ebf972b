/** What an answer's data has to look like at one place for the answer to be kept. */
export interface AnswerShape {
  /** By response key. */
  readonly keys: ReadonlyMap<string, ShapeKey>;
  /** Of each of these, at least one path must be in the answer. */
  readonly proofs: readonly KeyProof[];
}

export interface ShapeKey {
  /** Has every object at this place this key? */
  readonly isCertain: boolean;
  /**
   * `plain`: built-in scalars and enums, lists of them included; `any`: a scalar of the schema, which may be any JSON but
   * `null`; `any items`: a list of those.
   */
  readonly kind: 'plain' | 'any' | 'any items' | AnswerShape;
}

/** Paths of response keys, any one of which is proof enough. */
export type KeyProof = readonly (readonly string[])[];

/**
 * Is the answer complete and final? It must have every key that is certain to come, none that was not asked for, no `null`
 * anywhere, and the proofs that what it shows is final.
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

/** An empty list proves nothing, because its items may not be known yet. */
function isUnproven(list: readonly unknown[], kind: ShapeKey['kind']): boolean {
  return list.length === 0 && typeof kind === 'object' && kind.proofs.length > 0;
}

/** Is the path in the data? Need not look for `null`: `isKnown` refuses it under every key. */
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

/** How many keys a shape has, at all its places; at least one. */
export function countKeys({ keys }: AnswerShape): number {
  let count = 1;
  for (const { kind } of keys.values()) count += typeof kind === 'object' ? countKeys(kind) : 1;
  return count;
}
