import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHostileLedger } from '../support/hostile-ledger.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { type Paying, toSponsoredTransaction } from '../support/sponsored-transaction.ts';
import { executeMutation, reserveMutation } from '../support/sponsorship-history.ts';
import type { Answered } from '../support/sponsorship-world.ts';
import { until } from '../support/until.ts';

/** Handles a request that was read completely. */
type Manner = (socket: Socket) => void;

const head = (status: string, ...headers: string[]) => `HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n`;
const json = 'content-type: application/json';

/** Writes as long as the client reads, at most 64 MB. */
function flood(socket: Socket, start: string): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  let left = 1024;
  socket.write(start);
  const go = () => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(chunk)) {
        socket.once('drain', go);
        return;
      }
    }
    if (!socket.destroyed) socket.end('"}');
  };
  go();
}

/** Executions wait so long for the ledger. On a busy machine, responses of the sponsor may come later. */
const mutationMs = 3_000;
let moved = 0;

const silence: Manner = () => {};
const drip: Manner = (socket) => {
  const dripping = setInterval(() => socket.write('H'), 100);
  socket.on('close', () => clearInterval(dripping));
  socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
};

const manners: readonly (readonly [what: string, manner: Manner, reserving: string])[] = [
  [
    'never answers, or says a letter now and then,',
    (socket) => (asked.length % 2 === 0 ? silence : drip)(socket),
    'UPSTREAM_TIMEOUT',
  ],
  [
    'answers 64 MB of known length',
    (socket) => flood(socket, `${head('200 OK', json, `content-length: ${64 * 1024 * 1024 + 14}`)}{"error":"`),
    'UPSTREAM_BAD_RESPONSE',
  ],
  [
    'answers 64 MB of unknown length',
    (socket) => flood(socket, `${head('200 OK', json, 'connection: close')}{"error":"`),
    'UPSTREAM_BAD_RESPONSE',
  ],
  [
    'shows a page under 200',
    (socket) => socket.write(`${head('200 OK', 'content-type: text/html', 'content-length: 13')}<html></html>`),
    'UPSTREAM_BAD_RESPONSE',
  ],
  [
    'sends whoever asks elsewhere',
    (socket) =>
      socket.write(head('307 Temporary Redirect', `location: http://127.0.0.1:${port}/moved`, 'content-length: 0')),
    'UPSTREAM_BAD_RESPONSE',
  ],
  ['closes its half of the connection without a word', (socket) => socket.end(), 'UPSTREAM_UNAVAILABLE'],
  [
    'closes its half of the connection in the middle of its answer',
    (socket) => socket.end(`${head('200 OK', json, 'content-length: 1000')}{"result":`),
    'UPSTREAM_UNAVAILABLE',
  ],
  [
    'closes its half of the connection in the middle of a chunk',
    (socket) => socket.end(`${head('200 OK', json, 'transfer-encoding: chunked')}ff\r\n{"result":`),
    'UPSTREAM_UNAVAILABLE',
  ],
];

const sockets = new Set<Socket>();
let port = 0;
let manner: { readonly reserve: Manner | null; readonly execute: Manner | null } = { reserve: null, execute: null };
let lastId = 0;
const asked: string[] = [];

/** Serves one request after another; a half-closed connection stays half open until the other side closes too. */
const sponsor = createServer({ allowHalfOpen: true }, (socket) => {
  let text = '';
  sockets.add(socket);
  socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    const end = text.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (end < 0 || text.length < end + 4 + length) return;
    const path = /^\w+ (\S+)/.exec(text)?.[1] ?? '';
    text = '';
    serve(path, socket);
  });
});

function serve(path: string, socket: Socket) {
  asked.push(path);
  if (path === '/moved') moved += 1;
  const own = path === '/v1/reserve_gas' ? manner.reserve : path === '/v1/execute_tx' ? manner.execute : null;
  if (own) return own(socket);
  lastId += 1;
  const coin = `{"objectId":"0x${lastId.toString(16).padStart(64, '0')}","version":7,"digest":"${'1'.repeat(32)}"}`;
  const body = `{"result":{"sponsor_address":"0x${'5'.padStart(64, '0')}","reservation_id":${lastId},"gas_coins":[${coin}]},"error":null}`;
  socket.write(`${head('200 OK', json, `content-length: ${body.length}`)}${body}`);
}

let gateway: SpawnedGateway;
/** Waits for the sponsor however busy the machine is. */
let patient: SpawnedGateway;
let ledger: Awaited<ReturnType<typeof startHostileLedger>>;
beforeAll(async () => {
  await new Promise<void>((resolve) => sponsor.listen(0, '127.0.0.1', resolve));
  port = (sponsor.address() as AddressInfo).port;
  ledger = await startHostileLedger(new Map());
  const start = (timeoutMs: number) =>
    spawnGateway({
      LEDGER_GRAPHQL_URL: ledger.url,
      SPONSOR_URL: `http://127.0.0.1:${port}`,
      SPONSOR_TOKEN: 'token-of-the-sponsor',
      SPONSOR_ALLOW_ANONYMOUS: 'true',
      CORS_ORIGINS: 'https://dapp.example',
      MUTATION_TIMEOUT_MS: String(timeoutMs),
    });
  [gateway, patient] = await Promise.all([start(mutationMs), start(60_000)]);
});
afterAll(async () => {
  for (const each of [gateway, patient]) await each?.[Symbol.asyncDispose]();
  await ledger?.[Symbol.asyncDispose]();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => sponsor.close(resolve));
});

async function ask({ url }: SpawnedGateway, query: string, variables: object): Promise<Answered> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  return (await response.json()) as Answered;
}

let budget = 1_000_000;
const reserve = (at = gateway) => ask(at, reserveMutation, { budget: ++budget, seconds: 60, key: null });
const isExecution = (path: string) => path === '/v1/execute_tx';

const residentMbOf = ({ pid }: SpawnedGateway) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
/** RSS of both gateways, in megabytes. */
const residentMb = () => residentMbOf(gateway) + residentMbOf(patient);

const atOnce = 12;

describe('a sponsor that', () => {
  test.each(manners)(
    '%s is abandoned in time and with little memory, and is not called again',
    async (_, bad, code) => {
      const leases = await Promise.all(
        Array.from(
          { length: atOnce },
          async () => (await reserve()).data?.reserveGas as Paying & { reservationId: string },
        ),
      );
      const before = residentMb();
      let most = before;
      const watching = setInterval(() => {
        most = Math.max(most, residentMb());
      }, 20);
      manner = { reserve: bad, execute: bad };
      asked.length = 0;
      const [reserved, executed] = await Promise.all([
        Promise.all(leases.map(() => reserve(code === 'UPSTREAM_TIMEOUT' ? gateway : patient))),
        Promise.all(
          leases.map((lease, index) => {
            const { txBytes, userSig } = toSponsoredTransaction(lease, index);
            return ask(gateway, executeMutation, { lease: lease.reservationId, tx: txBytes, sig: userSig, key: null });
          }),
        ),
      ]);
      clearInterval(watching);
      manner = { reserve: null, execute: null };
      const codes = (answers: readonly Answered[]) => [
        ...new Set(answers.map(({ errors }) => errors[0]?.extensions.code)),
      ];
      expect([codes(reserved), codes(executed)]).toEqual([[code], ['EXECUTION_OUTCOME_UNKNOWN']]);
      expect([asked.filter(isExecution).length, asked.length, moved]).toEqual([atOnce, 2 * atOnce, 0]);
      // 24 responses of 64 MB would be 1.5 GB.
      expect(most - before).toBeLessThan(200);
      for (const each of [gateway, patient])
        await until(async () => !(await reserve(each)).errors?.length, 'it is served as before');
    },
  );
});
