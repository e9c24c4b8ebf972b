export type Closer = () => unknown;

/** Calls all closers, one after the other. If some fail, it calls the rest too, then rejects with the first error. */
export async function closeAll(closers: Iterable<Closer>): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closers) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
