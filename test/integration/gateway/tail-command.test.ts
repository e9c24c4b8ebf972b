import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { CliWorld } from '../../../src/cli/cli-world.ts';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { eventIds, type LiveNetwork, startLiveNetwork } from '../../support/live-network.ts';
import { until } from '../../support/until.ts';

let network: LiveNetwork;
const folder = mkdtempSync(join(tmpdir(), 'tail-'));
const state = join(folder, 'cursor');
beforeAll(async () => {
  network = await startLiveNetwork();
});
beforeEach(() => rmSync(state, { force: true }));
afterAll(async () => {
  await network?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** One run of the command. @param maxLines the reader of the output goes away after this many */
function start(options: readonly string[] = [], maxLines = Number.POSITIVE_INFINITY) {
  const lines: { cursor: string; event: { id: string } }[] = [];
  let error = '';
  let stop = () => {};
  const world = {
    stopRequested: new Promise<void>((resolve) => {
      stop = resolve;
    }),
    readFile: (path: string) => readFileSync(path, 'utf8'),
    writeLine: async (line: string) => {
      if (lines.length >= maxLines) return false;
      lines.push(JSON.parse(line));
      return true;
    },
    writeError: (text: string) => {
      error += text;
    },
  } as unknown as CliWorld;
  const ended = runCommand(parseArguments(['tail', '--url', network.address, '--state', state, ...options]), world);
  return { lines, ended, stop, error: () => error };
}

it('prints each event once over several runs, and continues where the last run ended', async () => {
  const first = start();
  await until(() => existsSync(state), 'the cursor at which the stream begins');
  const before = eventIds(network.devnet).length;
  network.devnet.tick();
  await until(() => first.lines.length === eventIds(network.devnet).length - before, 'the first events');
  first.stop();
  expect(await first.ended).toBe(0);
  for (let count = 0; count < 5; count += 1) network.devnet.tick();
  // The reader of the output goes away before the end.
  const second = start([], 2);
  expect(await second.ended).toBe(0);
  const third = start();
  const expected = eventIds(network.devnet).slice(before);
  await until(() => first.lines.length + second.lines.length + third.lines.length >= expected.length, 'all events');
  third.stop();
  expect(await third.ended).toBe(0);
  expect([...first.lines, ...second.lines, ...third.lines].map(({ event }) => event.id)).toEqual(expected);
});

it('prints transactions', async () => {
  const run = start(['--transactions', '--filter={"transactionKind":"ProgrammableTransaction"}']);
  await until(() => existsSync(state), 'the beginning');
  network.devnet.tick();
  await until(() => run.lines.length > 0, 'a transaction');
  expect(run.lines[0]).toMatchObject({ cursor: expect.any(String), transaction: { digest: expect.any(String) } });
  run.stop();
  expect(await run.ended).toBe(0);
});

it('ends with the reason if the gateway rejects the subscription, and keeps the cursor', async () => {
  const misspelt = start(['--filter={"sendr":"0x2"}']);
  expect([await misspelt.ended, misspelt.error()]).toEqual([1, expect.stringContaining('sendr')]);
  writeFileSync(state, 'not a cursor\n');
  const foreign = start();
  expect([await foreign.ended, foreign.error()]).toEqual([1, expect.stringContaining(`Delete the file to begin now`)]);
  expect(readFileSync(state, 'utf8')).toBe('not a cursor\n');
});

it('sends the key of a file', async () => {
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, 'wrong\n');
  const run = start(['--key-file', keyFile]);
  await until(() => run.error() !== '' || existsSync(state), 'an answer');
  run.stop();
  expect(await run.ended).toBe(1);
  expect(run.error()).toContain('UNAUTHENTICATED');
});
