import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtProgram } from '../support/built-program.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const cli = builtProgram();

/** The code blocks of one language, in order, without a list's indentation. */
const blocksOf = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\``, 'gms'))].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );

let gateway: SpawnedGateway;
const folder = mkdtempSync(join(tmpdir(), 'readme-'));

beforeAll(async () => {
  gateway = await spawnGateway({});
});

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

type Json = Record<string, unknown>;

async function ask(query: string, variables: Json = {}): Promise<Json> {
  const answer = await fetch(gateway.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return (await answer.json()) as Json;
}

/** All keys of a value; list items count once. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]));
}

it('every query in it succeeds unchanged, one after the other', async () => {
  const queries = blocksOf('graphql');
  expect(queries.length).toBeGreaterThanOrEqual(6);
  let known: Json = {};
  for (const query of queries) {
    const answer = await ask(query, known);
    expect([query, answer.errors]).toEqual([query, undefined]);
    const { reserveGas, devnetSignTransaction } = answer.data as { [field: string]: Json };
    // Values that the text says to copy from one step to the next.
    if (reserveGas) {
      const { sponsorAddress, gasCoins, reservationId } = reserveGas;
      known = { sponsor: sponsorAddress, coins: gasCoins, reservation: reservationId };
    } else if (devnetSignTransaction) {
      const { txBytes, userSig } = devnetSignTransaction;
      known = { ...known, tx: txBytes, sig: userSig };
    }
  }
  expect(Object.keys(known)).toEqual(['sponsor', 'coins', 'reservation', 'tx', 'sig']);
});

it('the first query’s response has the printed form', async () => {
  const [shown = ''] = blocksOf('json');
  expect(shapeOf(await ask(blocksOf('graphql')[0] ?? ''))).toEqual(shapeOf(JSON.parse(shown)));
});

const shells = blocksOf('sh');

it('its curl command gets a response', async () => {
  const [command = ''] = shells.filter((block) => block.startsWith('curl'));
  const out = execFileSync('bash', ['-c', command.replace('http://127.0.0.1:4000/graphql', gateway.url)], {
    encoding: 'utf8',
  });
  expect(JSON.parse(out)).toMatchObject({ data: { chainIdentifier: expect.any(String) } });
});

it('its stream delivers an event', async () => {
  const [, command = ''] = shells.filter((block) => block.startsWith('curl'));
  const curl = spawn('bash', ['-c', `exec ${command.replace('http://127.0.0.1:4000/graphql', gateway.url)}`]);
  let told = '';
  for await (const chunk of curl.stdout) {
    told += chunk;
    if (/^data: .*\n/m.test(told)) break;
  }
  curl.kill();
  const [, data = ''] = /^data: (.*)$/m.exec(told) ?? [];
  expect(JSON.parse(data)).toMatchObject({
    data: { liveEvents: { cursor: expect.any(String), event: { type: expect.stringContaining('::') } } },
  });
});

it('its settings for a network are valid, in the environment and in a file', () => {
  const token = join(folder, 'token');
  writeFileSync(token, 'a-token');
  const [made = ''] = shells.filter((block) => block.startsWith('node dist/cli.js keys new'));
  const { client } = JSON.parse(
    execFileSync('bash', ['-c', made.replace('node dist/cli.js', `"${process.execPath}" "${cli}"`)], {
      encoding: 'utf8',
    }),
  );
  const clients = join(folder, 'clients.yaml');
  writeFileSync(clients, JSON.stringify([client]));
  const exports = shells
    .filter((block) => block.includes('export '))
    .join('\n')
    .replace('/run/secrets/sponsor-token', token)
    .replace('/etc/ledger-gateway/clients.yaml', clients);
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, blocksOf('yaml')[0] ?? '');
  const check = (setup: string) =>
    execFileSync('bash', ['-c', `${setup}\n"${process.execPath}" "${cli}" config check`], { encoding: 'utf8' });
  expect(check(exports)).toMatch(/^SPONSOR_URL +environment +https:\/\/sponsor\.example\.net\/$/m);
  for (const network of ['iota', 'sui']) {
    const [command = ''] = shells.filter((block) => block.includes(`.${network}.`));
    expect(check(`export ${command.replace('npm start', '')}`)).toMatch(/^LEDGER_GRAPHQL_URL +environment +https:/m);
  }
  expect(check(`export CONFIG_FILE='${file}'`)).toMatch(/^NETWORK_PROFILE +CONFIG_FILE +iota$/m);
});

it('--help lists every command that it shows', () => {
  const listed = [...readme.matchAll(/^node dist\/cli\.js (\S.*?) {2,}/gm)].map(
    ([, command = '']) => `ledger-gateway ${command}`,
  );
  expect(listed.length).toBeGreaterThanOrEqual(7);
  const help = execFileSync(process.execPath, [cli, '--help'], { encoding: 'utf8' });
  expect(listed.filter((command) => !help.includes(command))).toEqual([]);
});
