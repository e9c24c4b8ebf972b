/** The request's variables object as it was sent: JSON values, nothing coerced, no declared defaults filled in. */
export type Variables = Readonly<Record<string, unknown>>;

/** Reads a sent value. Own properties only, because a client may name a variable `constructor` or `toString`. */
export function sentValue(variables: Variables, name: string): unknown {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}
