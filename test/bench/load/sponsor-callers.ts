import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashApiKey, toApiKey } from '../../../src/config/api-key.ts';
import { Secret } from '../../../src/config/secret.ts';
import { createLeaseKeys } from '../../../src/sponsorship/leases/lease-keys.ts';

/**
 * Those who reserve gas and have transactions executed, by turns: the gateway remembers a bounded number of reservations of
 * each caller. What it knows them by is the same in every process of the bench.
 */
const ids = Array.from({ length: 16 }, (_, index) => `bench-${String(index).padStart(2, '0')}`);
const callers = ids.map((id, index) => ({ id, key: toApiKey(id, new Uint8Array(32).fill(index + 1)).reveal() }));

/** With which the gateway of the bench signs its leases, so that the client can have some that were never reserved. */
export const leaseKey = 'bench bench bench bench bench bench bench'.replaceAll(' ', '-');
export const leaseKeys = createLeaseKeys(new Secret(leaseKey));

/** Whose turn it is: the name by which the gateway tells callers apart, and the key that is sent. */
export function callerOf(serial: number): { readonly name: string; readonly key: string } {
  const { id, key } = callers[serial % callers.length] as (typeof callers)[number];
  return { name: `client:${id}`, key };
}

/** Writes the file by which the gateway knows them. @returns its path */
export function writeClientsFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bench-clients-'));
  const path = join(directory, 'clients.json');
  const clients = callers.map(({ id, key }) => ({ id, hash: hashApiKey(key), scopes: ['read', 'sponsor'] }));
  writeFileSync(path, JSON.stringify(clients));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return path;
}
