/** Milliseconds of processor time of this process since then: of no other one, however busy the machine is. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
