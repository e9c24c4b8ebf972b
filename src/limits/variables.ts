/** The request's variables object as it was sent: JSON values, nothing coerced, no declared defaults filled in. */
export type Variables = Readonly<Record<string, unknown>>;

/** A sent value, never something inherited: `constructor` and `toString` are names a client may give its variables. */
export function sentValue(variables: Variables, name: string): unknown {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}
