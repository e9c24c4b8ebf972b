/** CPU time of this process since then, in milliseconds, whatever else the machine does. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** CPU milliseconds of the longest turn of the event loop until `work` has ended, as the gateway runs in this process. */
export async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let before = process.cpuUsage();
  const measure = () => {
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.cpuUsage();
    if (!isOver) setImmediate(measure);
  };
  setImmediate(measure);
  await work();
  isOver = true;
  return longest;
}

const knownText = JSON.stringify(
  Array.from({ length: 10_000 }, (_, version) => ({ address: `0x${String(version).padStart(64, '0')}`, version })),
);
/** CPU milliseconds in which an idle machine parses and prints the known text. */
const usualMs = 5;

/**
 * How many times as long as on an idle machine work takes now; at least 1. Tests multiply their bounds of CPU time by it: other
 * tests, and other guests of the machine, slow a core down to less than half.
 */
export function slowness(): number {
  const takenMs = Array.from({ length: 9 }, () => {
    const before = process.cpuUsage();
    JSON.stringify(JSON.parse(knownText));
    return cpuMsSince(before);
  }).sort((one, other) => one - other);
  return Math.max(1, (takenMs[4] ?? 0) / usualMs);
}
