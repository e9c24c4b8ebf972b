import { expect, onTestFinished, test } from 'vitest';
import { signingKeys } from '../../../src/config/value-types.ts';
import { watchSecrets } from '../../../src/start/watch-secrets.ts';

const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];

function start() {
  const disk = { text: first as string | null };
  const told: unknown[] = [];
  const adopted: string[][] = [];
  const secrets = watchSecrets({
    settings: { LEASE_KEYS_FILE: '/keys', NONE: null },
    telemetry: {
      secretRead: (setting) => told.push(['read', setting]),
      secretRefused: (...refused) => told.push(refused),
    },
    fileAt: () => ({
      see: async () => ({ mark: disk.text, reason: disk.text === null ? 'ENOENT' : null }),
      read: async () => disk.text ?? '',
    }),
  });
  onTestFinished(secrets.stop);
  const adopt = (keys: readonly { reveal(): string }[]) => void adopted.push(keys.map((key) => key.reveal()));
  secrets.watch({ setting: 'LEASE_KEYS_FILE', type: signingKeys, adopt });
  secrets.watch({ setting: 'NONE', type: signingKeys, adopt });
  return { disk, told, adopted, reload: secrets.reload };
}

test('a secret is taken from its file, and is never logged', async () => {
  const { disk, told, adopted, reload } = start();
  await reload();
  disk.text = `${second},${first}\n`;
  await reload();
  await reload();
  expect(adopted).toEqual([[first], [second, first]]);
  expect(told).toEqual([
    ['read', 'LEASE_KEYS_FILE'],
    ['read', 'LEASE_KEYS_FILE'],
    ['read', 'LEASE_KEYS_FILE'],
  ]);
});

test('a file with other content, an empty one or a missing one is rejected, and the secret stays', async () => {
  const { disk, told, adopted, reload } = start();
  await reload();
  for (const text of ['too-short', '', null]) {
    disk.text = text;
    await reload();
  }
  disk.text = first;
  await reload();
  expect(adopted).toEqual([[first]]);
  expect(told.map((line) => (line as unknown[]).at(-1))).toEqual([
    'LEASE_KEYS_FILE',
    'something else',
    'something else',
    'one that cannot be read (ENOENT)',
    'LEASE_KEYS_FILE',
  ]);
  expect(JSON.stringify(told)).not.toContain('too-short');
});
