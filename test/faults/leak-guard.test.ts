import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Exchange } from '../../src/server/exchange.ts';
import { countLiveObjects } from '../support/count-live-objects.ts';
import { type FaultyLedger, startFaultyLedger } from '../support/faulty-ledger.ts';
import { inTurns } from '../support/in-turns.ts';
import { type OpenWebSocket, openWebSocket } from '../support/open-websocket.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

const lane = 'query Epoch($id: Int) { epoch(id: $id) { epochId } }';
const own = 'query Own { gateway { networkProfile } }';
const split = 'query Mixed($id: Int) { epoch(id: $id) { epochId } gateway { networkProfile } }';

/** A unique name, so long that some hundreds of them take megabytes. */
const inventedName = (index: number, length = 16_000) => `Invented${index}_${'x'.repeat(length)}`;

/** Every other operation names a missing operation, and every third has an undeclared variable. */
function toOperation(query: string, index: number) {
  return {
    query,
    variables: index % 3 === 0 ? { id: index, [inventedName(index)]: 1 } : { id: index },
    ...(index % 2 === 0 ? {} : { operationName: inventedName(index) }),
  };
}

/** Connections stay open, so that their end cannot clean up after an operation. */
async function post(gateway: TestGateway, agent: Agent, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const sent = request(`${gateway.url}/graphql`, { method: 'POST', headers, agent });
  sent.end(JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  await text(answer);
}

/** Ten per connection, so that data kept per connection count too. */
async function subscribe(gateway: TestGateway, count: number): Promise<void> {
  const perSocket = 10;
  await inTurns(count / perSocket, 10, async (turn) => {
    const client = await openWebSocket(`${gateway.url.replace('http', 'ws')}/graphql`);
    client.send({ type: 'connection_init', payload: { [inventedName(turn, 7_000)]: 'x'.repeat(7_000) } });
    await until(() => client.messages.length > 0, 'an acknowledgement');
    for (let index = 0; index < perSocket; index += 1) {
      const payload = toOperation(index % 2 === 0 ? lane : split, turn * perSocket + index);
      client.send({ id: String(index), type: 'subscribe', payload });
    }
    await until(() => idsOf(client).size === perSocket, 'all answers');
    client.socket.close();
    await client.closed;
  });
}

const idsOf = ({ messages }: OpenWebSocket) => new Set(messages.map(({ id }) => id).filter((id) => id !== undefined));

async function round(gateway: TestGateway, each: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  for (const query of [lane, own, split]) {
    await inTurns(each, 20, (index) => post(gateway, agent, toOperation(query, index)));
  }
  await until(
    () => resources().Timeout === 0,
    () => `${resources().Timeout} timers of operations that are over`,
  );
  agent.destroy();
  await subscribe(gateway, each);
}

/** Timers, connections and servers, by kind. */
function resources(): Record<string, number> {
  const counts: Record<string, number> = { Timeout: 0, TCPSocketWrap: 0, TCPServerWrap: 0 };
  for (const name of process.getActiveResourcesInfo()) if (name in counts) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function heapMegabytes(gateway: TestGateway): Promise<number> {
  // Log lines kept by the test do not belong to the gateway.
  gateway.log.length = 0;
  for (let time = 0; time < 3; time += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  return process.memoryUsage().heapUsed / 1024 ** 2;
}

test('two hundred operations in the lane, in parts and over WebSockets, with random names, leave nothing behind', {
  timeout: 600_000,
}, async () => {
  const ledger: FaultyLedger = await startFaultyLedger();
  // A short timeout that nothing clears would expire before it is looked for.
  const patience = { REQUEST_TIMEOUT_MS: '600000', MUTATION_TIMEOUT_MS: '600000' };
  const gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, SCHEMA_POLL_MS: '0', ...patience });
  try {
    const idle = resources();
    const isIdle = () => Object.entries(resources()).every(([name, count]) => count <= (idle[name] ?? 0));
    // Data created once per process exist now.
    await round(gateway, 100);
    await until(isIdle, () => `${JSON.stringify(resources())} where ${JSON.stringify(idle)} were`);
    const before = await heapMegabytes(gateway);
    await round(gateway, 200);
    await until(isIdle, () => `${JSON.stringify(resources())} where ${JSON.stringify(idle)} were`);
    const grown = (await heapMegabytes(gateway)) - before;
    expect(grown).toBeLessThan(4);
    expect(countLiveObjects(Exchange)).toBe(0);
  } finally {
    await gateway.close();
    await ledger[Symbol.asyncDispose]();
  }
});
