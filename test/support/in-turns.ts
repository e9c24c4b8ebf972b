/** Runs a task `count` times, at most `atATime` at once. Rejects with the first failure. */
export async function inTurns<Result>(
  count: number,
  atATime: number,
  task: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      results[index] = await task(index);
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return results;
}
