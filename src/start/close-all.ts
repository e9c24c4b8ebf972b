export type Closer = () => unknown;

/** Calls every closer in turn, even if some fail. Rejects with the first error. */
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
