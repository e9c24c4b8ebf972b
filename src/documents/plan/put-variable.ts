/**
 * Puts the value of a variable beside others. A variable may be called `__proto__`, which would be the prototype if it were
 * assigned; an object without a prototype would do as well, but V8 makes it a table of its own, which is slow to read.
 */
export function putVariable(values: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') values[name] = value;
  else Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true });
}
