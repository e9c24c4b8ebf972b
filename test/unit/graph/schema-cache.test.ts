import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LedgerSource } from '../../../src/graph/schema-cache.ts';
import { createSchemaCache } from '../../../src/graph/schema-cache.ts';
import { silentLedgerService } from '../../../src/ledger/ledger-service.ts';

const source: LedgerSource = {
  introspection: introspectionFromSchema(buildSchema('type Query { a: Int }')),
  service: { ...silentLedgerService, queryTimeoutMs: 7 },
  origin: 'ledger',
};

let folder: string;
let failures: unknown[];
beforeEach(async () => {
  failures = [];
  folder = await mkdtemp(join(tmpdir(), 'schema-cache-'));
});
afterEach(() => rm(folder, { recursive: true }));

const open = () => createSchemaCache(join(folder, 'schema.json'), (error) => void failures.push(error));

it('what is kept is there in the next run, and nothing else is left beside it', async () => {
  await open().write(source);
  expect(JSON.parse(JSON.stringify(await open().read()))).toEqual(
    JSON.parse(JSON.stringify({ ...source, origin: 'cache' })),
  );
  expect([await readdir(folder), failures]).toEqual([['schema.json'], []]);
});

it('where nothing was kept, none is there, and nothing is wrong with that', async () => {
  expect([await open().read(), failures]).toEqual([null, []]);
});

it('a file that is not ours is told, and taken for none', async () => {
  await writeFile(join(folder, 'schema.json'), '{"introspection"');
  expect(await open().read()).toBeNull();
  expect(failures).toHaveLength(1);
});

it('a file that cannot be replaced is told, and nobody fails', async () => {
  await mkdir(join(folder, 'schema.json'));
  await open().write(source);
  expect(failures).toEqual([expect.objectContaining({ syscall: 'rename' })]);
});
