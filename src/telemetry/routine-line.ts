/**
 * Marks the fields of a line that is written for every request. They hold nothing that a credential could be in, so that
 * they need not be searched for one; and such a line may wait a moment, to be written together with others.
 */
export const routine: unique symbol = Symbol('routine');

export function isRoutine(fields: unknown): boolean {
  return typeof fields === 'object' && fields !== null && routine in fields;
}
