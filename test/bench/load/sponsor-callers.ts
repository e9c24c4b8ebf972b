import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashApiKey, toApiKey } from '../../../src/config/client.ts';

/**
 * Those who reserve gas and have transactions executed, by turns: the gateway remembers a bounded number of reservations of
 * each caller. What it knows them by is the same in every process of the bench.
 */
const ids = Array.from({ length: 16 }, (_, index) => `bench-${String(index).padStart(2, '0')}`);
const callers = ids.map((id, index) => ({ id, key: toApiKey(id, new Uint8Array(32).fill(index + 1)).reveal() }));

/** The key of the caller whose turn it is. */
export function keyOf(serial: number): string {
  return callers[serial % callers.length]?.key ?? '';
}

let path: string | null = null;

/** The file by which the gateway knows them, one for all gateways of a run. @returns its path */
export function writeClientsFile(): string {
  if (path !== null) return path;
  const directory = mkdtempSync(join(tmpdir(), 'bench-clients-'));
  path = join(directory, 'clients.json');
  const clients = callers.map(({ id, key }) => ({ id, hash: hashApiKey(key), scopes: ['read', 'sponsor'] }));
  writeFileSync(path, JSON.stringify(clients));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return path;
}
