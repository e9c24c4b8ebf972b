import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAnswerCheck } from '../bench/load/answer-check.ts';
import { post, saturate } from '../bench/load/drive.ts';
import { toGatewayCommand } from '../bench/load/gateway-command.ts';
import { createLedgerAnswers } from '../bench/load/ledger-answers.ts';
import { createUpstreamServer } from '../bench/load/upstream-server.ts';
import type { Work } from '../bench/load/work.ts';
import { createWorks } from '../bench/load/works.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';

/*
 * V8 gives objects that are made alike one hidden class, by which whoever reads them finds their members at once. An object
 * spread with members behind it, and a getter written out in an object, get a hidden class of their own each time: making it
 * takes a microsecond or two, and everybody who reads the object looks its members up as if for the first time. Written into
 * what is made for each request, a few of them cost a tenth of it. V8 writes down every class that it makes when it is asked
 * to, so nothing has to be known here of which files are on the path of a request.
 */

const warmUp = 100;
const counted = 100;
/** Kinds of requests that must leave V8 with the classes it has. Answers that come in pieces (W3) make Node’s streams add some. */
const works = createWorks(createLedgerAnswers(process.cwd())).filter(({ id }) => id !== 'W3' && id !== 'W2-new');

const directory = mkdtempSync(join(tmpdir(), 'hidden-classes-'));
const log = join(directory, 'v8.log');
const { server } = createUpstreamServer();
let gateway: SpawnedGateway;
let pool: Pool;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstreamUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { env } = toGatewayCommand(0, upstreamUrl, { SCHEMA_POLL_MS: '0' });
  const options = ['--log-maps', '--no-logfile-per-isolate', `--logfile=${log}`];
  gateway = await spawnGateway(env as Record<string, string>, options);
  pool = new Pool(new URL(gateway.url).origin, { connections: 8 });
});
afterAll(async () => {
  await pool.close();
  await gateway[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true });
});

/** What was logged of classes beyond an offset: where, in which line and column, for the sake of which member. */
function readClasses(from: number): string[] {
  const file = openSync(log, 'r');
  const bytes = Buffer.alloc(fstatSync(file).size - from);
  readSync(file, bytes, 0, bytes.length, from);
  closeSync(file);
  return bytes
    .toString('latin1')
    .split('\n')
    .filter((line) => line.startsWith('map,'))
    .map((line) => line.split(','))
    .map(([, kind, , , , , line, column, , member]) => `${kind} at ${line}:${column} ${member}`);
}

/** Asks so many times, from a number on, and returns what was wrong with the first answer that was. */
async function ask(work: Work, from: number, count: number): Promise<string | null> {
  const check = createAnswerCheck(work, 'graphql');
  let next = from;
  let fault: string | null = null;
  await saturate(
    4,
    (_dueAt, onEnd) => {
      const serial = next;
      next += 1;
      const send = (before?: unknown) =>
        post(pool, work.request('graphql', serial, before), (status, chunks) => {
          fault ??= check.findFault(serial, status, chunks);
          onEnd();
        });
      const first = work.before?.('graphql', serial);
      if (!first) send();
      else post(pool, first, (_status, chunks) => send(JSON.parse(Buffer.concat(chunks).toString())));
    },
    () => next >= from + count,
  );
  return fault;
}

/** The commonest of them with how often each comes. */
function tally(classes: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const each of classes) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 1).map(([each, count]) => `${count} × ${each}`);
}

test('V8 says which hidden classes it makes', () => {
  // As many as a start takes.
  expect(readClasses(0).length).toBeGreaterThan(5_000);
});

test.each(works)('requests of the kind $id make no hidden classes: $title', async (work) => {
  expect(await ask(work, 0, warmUp)).toBeNull();
  const from = statSync(log).size;
  expect(await ask(work, warmUp + 10, counted)).toBeNull();
  const classes = readClasses(from);
  // A spread on the path makes one for each request at least; a timer now and then, or code that is optimised, a few in all.
  expect(classes.length < counted / 2 ? [] : tally(classes)).toEqual([]);
});
