import { existsSync, readFileSync } from 'node:fs';

/** The kernel counts in ticks of 1/100 s on every architecture Node runs on. */
const msPerTick = 10;

/**
 * CPU time that a process has used so far, user and system, of all its threads, in milliseconds. Linux only.
 * @throws Error where the process or `/proc` is not there
 */
export function readCpuMs(pid: number): number {
  return parseCpuMs(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** @param stat a line of `/proc/<pid>/stat`; the name in its second field may hold spaces and brackets */
export function parseCpuMs(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
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
