import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Counts the TCP connections of a process with this port at either end: open ones, and those that only the other side has
 * closed. Linux only.
 */
export function countConnections(pid: number, port: number): number {
  const held = inodesOf(pid);
  return ['tcp', 'tcp6']
    .flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', remote = '', state, , , , , , inode = '']) => {
      return state !== listening && held.has(inode) && (portOf(local) === port || portOf(remote) === port);
    }).length;
}

const listening = '0A';

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16);
}

function inodesOf(pid: number): Set<string> {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      // The connection closed after it was listed.
      return '';
    }
  });
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}
