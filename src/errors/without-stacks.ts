/**
 * Makes errors without noting where in the program that happens. An answer may have one for each of thousands of items, and
 * noting it costs more than all else that is done for an error. Only for errors that clients are told of: what an error is
 * made from keeps its own stack, and that is the one the log shows.
 */
export function withoutStacks<Result>(work: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
