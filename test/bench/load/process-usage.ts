import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * CPU time that a process has used so far, user and system, of all threads that it has now, in milliseconds. To the
 * nanosecond: the usual counters have a hundred ticks a second, too few for a slice of one. Linux only.
 * @throws Error where the process or `/proc` is not there
 */
export function readCpuMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const ofThread = (id: string) => parseCpuMs(readFileSync(`${tasks}/${id}/schedstat`, 'utf8'));
  return readdirSync(tasks).reduce((sum, id) => sum + ofThread(id), 0);
}

/** Time that a process's main thread was ready and had no core, so far, in milliseconds. Linux only. */
export function readCoreWaitMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

/** @param schedstat nanoseconds on a processor, nanoseconds of waiting for one, times it got one */
function parseCpuMs(schedstat: string): number {
  return Number(schedstat.slice(0, schedstat.indexOf(' '))) / 1e6;
}

export function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}/stat`);
}

/** Memory of a process that is in RAM, in MiB; `null` when it is gone. */
export function readRssMib(pid: number): number | null {
  const file = `/proc/${pid}/status`;
  const kib = existsSync(file) ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return kib === undefined ? null : Number(kib) / 1024;
}

/**
 * CPU time that all processes of the machine have used so far, in milliseconds, to ten of them. Time that a virtual machine
 * was kept waiting by its host is in it.
 */
export function readMachineCpuMs(): number {
  return parseMachineCpuMs(readFileSync('/proc/stat', 'utf8'));
}

/** @param stat its first line: hundredths of a second of user, nice, system, idle, waiting for disks, irq, softirq, steal */
function parseMachineCpuMs(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (stat.split('\n')[0] ?? '')
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) * 10;
}
