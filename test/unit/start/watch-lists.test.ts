import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { parseClients } from '../../../src/config/client.ts';
import { parseManifest } from '../../../src/config/document-manifest.ts';
import { watchLists } from '../../../src/start/watch-lists.ts';
import { toClientsFile } from '../../support/test-policy.ts';

const entry = (id: string, digit = 'a') => `- { id: ${id}, hash: ${digit.repeat(64)} }`;

const noReports = { clientsRead() {}, clientsRefused() {}, documentsRead() {}, documentsRefused() {} };

function start(first: string) {
  const disk = { text: first as string | null };
  const told: unknown[] = [];
  const adopted: (readonly string[])[] = [];
  const readFile = (): string => {
    throw new Error('no file is named');
  };
  const parsed = parseClients(first, readFile);
  const clients = 'mistakes' in parsed ? toClientsFile() : parsed;
  const file = { see: async () => ({ mark: disk.text, reason: 'ENOENT' }), read: async () => disk.text ?? '' };
  const watched = watchLists(
    { clients, trustedDocuments: null, settings: { CLIENTS_FILE: 'clients', TRUSTED_DOCUMENTS_FILE: null } },
    {
      fileAt: () => file,
      readFile,
      adopt: ({ clients: list = toClientsFile() }, texts) => {
        expect(Object.keys(texts)).toEqual(['clients']);
        adopted.push([...list.clients.map(({ id }) => id), texts.clients ?? '']);
      },
      telemetry: {
        ...noReports,
        clientsRead: (read) => told.push(read),
        clientsRefused: (mistakes) => told.push(mistakes),
      },
    },
  );
  onTestFinished(watched.stop);
  return { disk, told, adopted, reload: watched.reload };
}

afterEach(() => void vi.useRealTimers());

test('a valid file is adopted, and its changes are reported by client id', async () => {
  const { disk, told, adopted, reload } = start(entry('a'));
  disk.text = [entry('a', 'c'), entry('b', 'd')].join('\n');
  await reload();
  expect(adopted).toEqual([['a', 'b', disk.text]]);
  expect(told).toEqual([{ added: ['b'], removed: [], changed: ['a'], clients: 2 }]);
  expect(JSON.stringify(told)).not.toContain('cccc');
});

test('an invalid file changes nothing, and all its mistakes are reported', async () => {
  const { disk, told, adopted, reload } = start(entry('a'));
  disk.text = '- { id: A, hash: secret }';
  await reload();
  disk.text = null;
  await reload();
  expect(adopted).toEqual([]);
  expect(told).toEqual([
    [
      'CLIENTS_FILE.0.id: expected 1 to 64 lower-case letters, digits and hyphens, with a letter or digit at both ends, got another text of 1 characters',
      'CLIENTS_FILE.0.hash: expected 64 hexadecimal digits in lower case, got another text of 6 characters',
    ],
    ['CLIENTS_FILE: expected a path to a readable file, got one that cannot be read (ENOENT)'],
  ]);
});

test('an empty list is rejected, because it would lock out every client', async () => {
  const { disk, told, adopted, reload } = start(entry('a'));
  for (const text of ['', '[]', '# nobody']) {
    disk.text = text;
    await reload();
  }
  expect([adopted.length, told.length]).toEqual([0, 3]);
});

test('an explicit reload of an unchanged file reports that nothing changed', async () => {
  const { told, adopted, reload } = start(entry('a'));
  await reload();
  expect([adopted, told]).toEqual([[], [{ added: [], removed: [], changed: [], clients: 1 }]]);
});

test('a valid file after an invalid one is reported once, even if it is already in force', async () => {
  vi.useFakeTimers();
  const { disk, told, adopted } = start(entry('a'));
  const write = async (text: string) => {
    disk.text = text;
    await vi.advanceTimersByTimeAsync(2_000);
  };
  await write(entry('a'));
  await write('- { id: A }');
  expect(told).toHaveLength(1);
  const unchanged = { added: [], removed: [], changed: [], clients: 1 };
  await write(entry('a'));
  expect(told.slice(1)).toEqual([unchanged]);
  for (const comment of ['# one', '# two']) await write(`${entry('a')}\n${comment}`);
  expect([told.length, adopted]).toEqual([2, []]);
});

test('trusted documents are adopted as a whole, and the previous ones stay if the file has mistakes', async () => {
  const disk = { text: '{ "a": "{ a }", "b": "{ b }" }' };
  const told: unknown[] = [];
  const adopted: unknown[] = [];
  const parsed = parseManifest(disk.text);
  const watched = watchLists(
    {
      clients: null,
      trustedDocuments: 'mistakes' in parsed ? [] : parsed,
      settings: { CLIENTS_FILE: null, TRUSTED_DOCUMENTS_FILE: 'manifest' },
    },
    {
      fileAt: () => ({ see: async () => ({ mark: disk.text, reason: null }), read: async () => disk.text }),
      adopt: (...lists) => void adopted.push(lists),
      telemetry: {
        ...noReports,
        documentsRead: (read) => told.push(read),
        documentsRefused: (mistakes) => told.push(mistakes),
      },
    },
  );
  onTestFinished(watched.stop);
  disk.text = '{ "a": "{ changed }", "c": "{ c }" }';
  await watched.reload();
  disk.text = '{ "a": 1 }';
  await watched.reload();
  const documents = [
    { id: 'a', name: null, text: '{ changed }' },
    { id: 'c', name: null, text: '{ c }' },
  ];
  expect(adopted).toEqual([[{ documents }, { manifest: '{ "a": "{ changed }", "c": "{ c }" }' }]]);
  expect(told).toEqual([
    { added: 1, removed: 1, changed: 1, documents: 2 },
    ['TRUSTED_DOCUMENTS_FILE."a": expected the text of a document, got none'],
  ]);
});

test('a file of senders that the clients file names is reloaded when it changes, and sent with it', async () => {
  vi.useFakeTimers();
  const disk: Record<string, string> = {
    clients: 'policies: { default: { senders: { allow: partners } } }',
    partners: '0xa',
  };
  const readFile = (path: string) => disk[path] ?? '';
  const parsed = parseClients(disk.clients ?? '', readFile);
  const adopted: unknown[] = [];
  const watched = watchLists(
    {
      clients: 'mistakes' in parsed ? null : parsed,
      trustedDocuments: null,
      settings: { CLIENTS_FILE: 'clients', TRUSTED_DOCUMENTS_FILE: null },
    },
    {
      fileAt: (path) => ({
        see: async () => ({ mark: readFile(path), reason: null }),
        read: async () => readFile(path),
      }),
      readFile,
      adopt: ({ clients }, texts) => adopted.push(clients?.policies[0]?.policy.senders.allow, texts),
      telemetry: noReports,
    },
  );
  onTestFinished(watched.stop);
  await vi.advanceTimersByTimeAsync(2_000);
  disk.partners = '0xb';
  await vi.advanceTimersByTimeAsync(2_000);
  expect(adopted).toEqual([[`0x${'b'.padStart(64, '0')}`], { clients: disk.clients, partners: '0xb' }]);
});
