import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashApiKey, toApiKey } from '../../../src/config/api-key.ts';
import { askingShells, type Credentials, connectAs } from '../../support/asking-shells.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

const keyOf = (id: string, number: number) => toApiKey(id, new Uint8Array(32).fill(number)).reveal();
const keys = { page: keyOf('page', 1), ops: keyOf('ops', 2), late: keyOf('late', 3) };
const entries = {
  page: { id: 'page', hash: hashApiKey(keys.page), origins: ['https://app.example'] },
  ops: { id: 'ops', hash: hashApiKey(keys.ops) },
  late: { id: 'late', hash: hashApiKey(keys.late) },
};
const viewer = '{ viewer { id kind scopes } }';
const withKey = (key: string, origin?: string): Credentials => ({
  headers: { 'x-api-key': key },
  ...(origin !== undefined && { origin }),
});
const codeOf = ({ errors }: { errors?: { extensions: { code: string } }[] }) => errors?.[0]?.extensions.code ?? 'none';

describe('by', () => {
  let folder = '';
  let file = '';
  let gateway: TestGateway;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'callers-'));
    file = join(folder, 'clients.json');
    const text = JSON.stringify([entries.page, entries.ops]);
    await writeFile(file, text);
    gateway = await createTestGateway({ CLIENTS_FILE: file }, { [file]: text });
  });
  afterAll(async () => {
    await gateway?.close();
    await rm(folder, { recursive: true });
  });

  test.each(askingShells)('%s, a key that is bound to origins is of use to their pages alone', async (_, ask) => {
    const as = (origin?: string) => ask(gateway.url, viewer, withKey(keys.page, origin));
    expect((await as('https://app.example')).data.viewer).toMatchObject({ id: 'client:page', kind: 'API_KEY' });
    expect(codeOf(await as('https://app.example.evil.example'))).toBe('FORBIDDEN');
    expect(codeOf(await as('null'))).toBe('FORBIDDEN');
    // No page: a server that got hold of it.
    expect(codeOf(await as())).toBe('FORBIDDEN');
  });

  test('every way in, a key is judged by the file as it is now', async () => {
    const codes = () =>
      Promise.all(askingShells.map(async ([, ask]) => codeOf(await ask(gateway.url, viewer, withKey(keys.late)))));
    expect(new Set(await codes())).toEqual(new Set(['UNAUTHENTICATED']));
    await writeFile(file, JSON.stringify([entries.page, entries.ops, entries.late]));
    await until(async () => (await codes()).every((code) => code === 'none'), 'the new key to be known');
    await writeFile(file, JSON.stringify([entries.page, entries.ops]));
    await until(async () => (await codes()).every((code) => code === 'UNAUTHENTICATED'), 'the old key to be gone');
  });

  test('an open WebSocket, the next operation is refused once its key has been taken away', async () => {
    await writeFile(file, JSON.stringify([entries.ops, entries.late]));
    await using first = await connectAs(gateway.url, withKey(keys.ops));
    expect((await first.ask(viewer)).data.viewer.id).toBe('client:ops');
    await writeFile(file, JSON.stringify([entries.late]));
    await until(async () => codeOf(await first.ask(viewer)) === 'UNAUTHENTICATED', 'the key to be refused');
    expect(codeOf(await first.ask('{ chainIdentifier }'))).toBe('UNAUTHENTICATED');
    // The key of another client on the same gateway goes on.
    await using second = await connectAs(gateway.url, withKey(keys.late));
    expect((await second.ask(viewer)).data.viewer.id).toBe('client:late');
  });
});
