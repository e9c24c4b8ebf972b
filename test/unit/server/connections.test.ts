import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endLingering } from '../../../src/server/end-lingering.ts';
import type { Exchange } from '../../../src/server/exchange.ts';
import { connectForTest } from '../../support/connect-for-test.ts';
import { countLiveObjects } from '../../support/count-live-objects.ts';
import { openRawClient, type RawClient } from '../../support/raw-client.ts';
import { until } from '../../support/until.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

it('a server without requests closes immediately, and leaves no timer that would keep the process', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connections = connectForTest();
  await connections.drain(server, 60_000);
  expect([connections.draining, server.listening, vi.getTimerCount()]).toEqual([true, false, 0]);
});

it.each([
  ['with bytes to send', false],
  ['after its last byte', true],
])('a connection that is ended %s is read on, and leaves no timer once its client has closed it', async (_, isSent) => {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const [finished, closed] = [once(socket, 'finish'), once(socket, 'close')];
  if (isSent) {
    socket.end();
    await finished;
  }
  endLingering(socket);
  await finished;
  expect([vi.getTimerCount(), socket.readableFlowing]).toEqual([1, true]);
  socket.destroy();
  await closed;
  expect(vi.getTimerCount()).toBe(0);
});

it('a connection that its client does not close is closed a second after its last byte', async () => {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const finished = once(socket, 'finish');
  endLingering(socket);
  await finished;
  vi.advanceTimersByTime(999);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(socket.destroyed).toBe(true);
});

it('nothing is kept of closed connections', async () => {
  class CountedSocket extends Socket {}
  const connections = connectForTest();
  let closed = 0;
  const openTen = () => {
    for (let count = 0; count < 10; count += 1) {
      const socket = new CountedSocket();
      connections.opened(socket);
      socket.once('close', () => {
        closed += 1;
      });
      socket.destroy();
    }
  };
  openTen();
  while (closed < 10) await new Promise((resolve) => setImmediate(resolve));
  await until(() => countLiveObjects(CountedSocket) === 0, 'none is left');
  expect(connections.draining).toBe(false);
});

/** A request on a connection that no client is at the other end of. */
function toExchange(socket: Socket, header?: string) {
  let connection = header;
  const res = {
    getHeader: () => connection,
    setHeader: (_: string, value: string) => (connection = value),
    headersSent: false,
  };
  return { req: { socket }, res, unread: 0, isReading: false, abandon() {} } as unknown as Exchange;
}

it('every pipelined exchange ends once when its client disconnects', async () => {
  const ended: Exchange[] = [];
  const connections = connectForTest((exchange) => void ended.push(exchange));
  const socket = new Socket();
  connections.opened(socket);
  const exchanges = Array.from({ length: 4 }, () => toExchange(socket));
  for (const exchange of exchanges) connections.enter(exchange);
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
  for (const exchange of exchanges) connections.leave(exchange);
  expect(ended).toEqual(exchanges);
});

it('a flood of connections closes the ones never served', () => {
  const connections = connectForTest();
  const openOne = () => {
    const socket = new Socket();
    connections.opened(socket);
    return socket;
  };
  const served = openOne();
  const exchange = toExchange(served);
  connections.enter(exchange);
  connections.leave(exchange);
  const strangers = Array.from({ length: 4_351 }, openOne);
  expect([served.destroyed, strangers.filter(({ destroyed }) => destroyed).length]).toEqual([false, 256]);
  for (const socket of [served, ...strangers]) socket.destroy();
});

it('requests after the last response of a connection are ignored, and too many of them close it', () => {
  const connections = connectForTest();
  const socket = new Socket();
  connections.opened(socket);
  expect(connections.enter(toExchange(socket, 'close'))).toBe(true);
  for (let count = 1; count < 100; count += 1) expect(connections.enter(toExchange(socket))).toBe(false);
  expect(socket.destroyed).toBe(false);
  expect([connections.enter(toExchange(socket)), socket.destroyed]).toEqual([false, true]);
});

/** Connections with one open socket. */
function openOne() {
  const connections = connectForTest();
  const socket = new Socket();
  connections.opened(socket);
  return { connections, socket };
}

it.each<[string, (connections: ReturnType<typeof connectForTest>, last: Exchange) => void]>([
  ['has been sent', (connections, last) => connections.leave(last)],
  ['is sent while the server begins to stop', (connections) => connections.announceDrain()],
])('no request is executed after a response that closes the connection %s', (_, happen) => {
  const { connections, socket } = openOne();
  const last = toExchange(socket, 'close');
  connections.enter(last);
  happen(connections, last);
  expect(connections.enter(toExchange(socket))).toBe(false);
});

it('a stopping server executes a later request of a connection until the headers that close it are sent', () => {
  const { connections, socket } = openOne();
  const first = toExchange(socket);
  connections.enter(first);
  connections.announceDrain();
  Object.assign(first.res, { headersSent: true });
  expect([first.res.getHeader('connection'), connections.enter(toExchange(socket))]).toEqual(['close', false]);
});

it('a connection becomes idle once, when its last exchange ends', () => {
  const { connections, socket } = openOne();
  const exchanges = [toExchange(socket), toExchange(socket)];
  for (const exchange of exchanges) connections.enter(exchange);
  const idle = vi.fn();
  connections.of(socket)?.whenIdle(idle);
  const calls = exchanges.map((exchange) => {
    connections.leave(exchange);
    return idle.mock.calls.length;
  });
  connections.of(socket)?.callIfIdle();
  expect([...calls, idle.mock.calls.length]).toEqual([0, 1, 1]);
});

it('a paused connection that Node closes after its response reads no further requests', () => {
  const { socket } = openOne();
  socket.pause();
  socket.destroySoon();
  expect(socket.isPaused()).toBe(true);
});

it('what a client sends after the last response of its connection is not parsed', async () => {
  const connections = connectForTest();
  const sockets: Socket[] = [];
  let requests = 0;
  const server = createServer((_req, res) => {
    requests += 1;
    res.setHeader('connection', 'close');
    res.end('last');
  });
  server.on('connection', (socket: Socket) => {
    connections.opened(socket);
    sockets.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = await openRawClient((server.address() as AddressInfo).port);
  const request = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
  await client.send(request);
  await client.receive(/last$/);
  await client.send(request);
  await until(() => sockets[0]?.bytesRead === 2 * request.length, 'the second request is read');
  expect(requests).toBe(1);
  client.vanish('closing');
  await new Promise((resolve) => server.close(resolve));
});

it('unread bytes of a connection without requests count, as of a WebSocket', () => {
  const { connections, socket } = openOne();
  Object.defineProperty(socket, 'writableLength', { value: 1_000 });
  connections.cutUnread(1_000);
  expect(socket.destroyed).toBe(false);
  connections.cutUnread(999);
  expect(socket.destroyed).toBe(true);
});

it('if clients leave too much unread together, the oldest large one is closed, even while it waits for its turn', async () => {
  vi.useRealTimers();
  const connections = connectForTest();
  const sockets: Socket[] = [];
  let answered = 0;
  const server = createServer((req, res) => {
    const exchange = {
      ...{ req, res, memory: null, isReading: false, abandon: () => {} },
      get unread() {
        return res.writableLength;
      },
    } as unknown as Exchange;
    connections.enter(exchange);
    res.on('close', () => connections.leave(exchange));
    const megabytes = Number(req.url?.slice(1));
    // The first of two is not answered, so that the second waits.
    if (megabytes > 0) res.end(Buffer.alloc(megabytes * 1_000_000));
    answered += 1;
  });
  server.on('connection', (socket) => sockets.push(socket));
  server.on('connection', connections.opened);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const clients: RawClient[] = [];
  const ask = async (...megabytes: readonly number[]) => {
    const client = await openRawClient((server.address() as AddressInfo).port);
    client.stopReading();
    await client.send(megabytes.map((each) => `GET /${each} HTTP/1.1\r\nhost: a\r\n\r\n`).join(''));
    clients.push(client);
  };
  await ask(0.01);
  await ask(0, 41);
  await ask(40);
  await ask(40);
  await until(() => answered === 5, 'all are answered');

  const cut = () => sockets.map(({ destroyed }) => destroyed);
  connections.cutUnread(130_000_000);
  expect(cut()).toEqual([false, false, false, false]);
  connections.cutUnread(100_000_000);
  expect(cut()).toEqual([false, true, false, false]);

  for (const client of clients) client.vanish('resetting');
  await connections.drain(server, 60_000);
});

/** A server whose requests are answered when the test says so. */
async function openServer() {
  vi.useRealTimers();
  const connections = connectForTest();
  const answers = new Map<string, () => void>();
  const server = createServer((req, res) => {
    const path = req.url ?? '';
    const isReading = path === '/unfinished';
    const exchange = {
      ...{ req, res, isReading },
      abandon: () => void res.setHeader('connection', 'close').writeHead(503).end(),
    } as unknown as Exchange;
    if (!connections.enter(exchange)) return;
    res.on('close', () => connections.leave(exchange));
    answers.set(path, () => void res.end(`answer to ${path}`));
  });
  server.on('connection', connections.opened);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { connections, server, answers, connect: () => openRawClient(port) };
}

const get = (...paths: readonly string[]) => paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`).join('');

describe('a server that is stopping', () => {
  it('answers every request that was sent, and ends the connection after the last response', async () => {
    const { connections, server, answers, connect } = await openServer();
    const client = await connect();
    await client.send(get('/a', '/b'));
    await until(() => answers.size === 2, 'both requests');
    const closed = connections.drain(server, 60_000);
    await client.send(get('/c'));
    await until(() => answers.size === 3, 'the one that comes later');
    for (const path of ['/c', '/a', '/b']) answers.get(path)?.();
    const text = await client.whole();
    expect(text.match(/answer to \/\w|connection: close/gi)).toEqual([
      'answer to /a',
      'answer to /b',
      'connection: close',
      'answer to /c',
    ]);
    await closed;
  });

  it('rejects a request whose body does not arrive, and does not wait for idle clients', async () => {
    const { connections, server, answers, connect } = await openServer();
    const [slow, silent] = [await connect(), await connect()];
    await slow.send('POST /unfinished HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n12345');
    await until(() => answers.size === 1, 'the request');
    await connections.drain(server, 60_000);
    expect(await slow.whole()).toMatch(/^HTTP\/1\.1 503 /);
    expect(await silent.whole()).toBe('');
  });

  it('disconnects clients whose requests take longer than the grace period', async () => {
    const { connections, server, answers, connect } = await openServer();
    const client = await connect();
    await client.send(get('/a'));
    await until(() => answers.size === 1, 'the request');
    await connections.drain(server, 0);
    expect(await client.whole()).toBe('');
  });

  /** A new connection has been silent for half a second of a drain. */
  async function drainSilent() {
    const { connections, server, answers, connect } = await openServer();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const accepted = once(server, 'connection');
    const client = await connect();
    await accepted;
    const closed = connections.drain(server, 60_000);
    await until(() => vi.getTimerCount() === 1, 'the gateway looks for silent connections');
    vi.advanceTimersByTime(500);
    return { answers, client, closed };
  }

  it('answers the first request of a new connection that arrives half a second later', async () => {
    const { answers, client, closed } = await drainSilent();
    await client.send(get('/a'));
    await until(() => answers.size === 1, 'the request');
    answers.get('/a')?.();
    expect(await client.whole()).toContain('answer to /a');
    await closed;
  });

  it('waits a second for the rest of a request, however long the connection was silent before', async () => {
    const { answers, client, closed } = await drainSilent();
    await client.send('POST /unfinished HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n12345');
    await until(() => answers.size === 1, 'the request');
    vi.advanceTimersByTime(900);
    answers.get('/unfinished')?.();
    expect(await client.whole()).toContain('answer to /unfinished');
    await closed;
  });

  it('answers a request that arrived while the process had no CPU for two seconds', async () => {
    const { connections, server, answers, connect } = await openServer();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const accepted = once(server, 'connection');
    const client = await connect();
    await accepted;
    const closed = connections.drain(server, 60_000);
    await until(() => vi.getTimerCount() === 1, 'the gateway looks for silent connections');
    const later = performance.now() + 2_000;
    const clock = vi.spyOn(performance, 'now').mockReturnValue(later);
    vi.advanceTimersByTime(25);
    clock.mockRestore();
    await client.send(get('/a'));
    await until(() => answers.size === 1, 'the request');
    answers.get('/a')?.();
    expect(await client.whole()).toContain('answer to /a');
    await closed;
  });

  it('waits for responses in flight and for first requests before it stops more than its listening socket', async () => {
    const { connections, server, answers, connect } = await openServer();
    const clients = [await connect(), await connect()];
    await clients[0]?.send(get('/a'));
    await until(() => answers.size === 1, 'the request');
    let isStopped = false;
    const stopped = connections.stopAccepting(server).then(() => {
      isStopped = true;
    });
    await until(() => !server.listening, 'the closed socket');
    await clients[1]?.send(get('/b'));
    await until(() => answers.size === 2, 'the first request of the second connection');
    const seen = isStopped;
    for (const answer of answers.values()) answer();
    await stopped;
    expect([seen, ...(await Promise.all(clients.map((client) => client.whole())))]).toEqual([
      false,
      expect.stringContaining('answer to /a'),
      expect.stringContaining('answer to /b'),
    ]);
    await connections.drain(server, 60_000);
  });

  it('does not wait for ever for a request that does not arrive, nor for a response that has begun', async () => {
    const { connections, server, answers, connect } = await openServer();
    const [silent, streaming] = [await connect(), await connect()];
    await streaming.send(get('/stream'));
    await until(() => answers.size === 1, 'the request');
    await connections.stopAccepting(server);
    answers.get('/stream')?.();
    await connections.drain(server, 60_000);
    expect([await silent.whole(), await streaming.whole()]).toEqual(['', expect.stringContaining('answer to /stream')]);
  });

  it('announces it on open connections before it closes, and continues to serve', async () => {
    const { connections, server, answers, connect } = await openServer();
    connections.announceDrain();
    const client = await connect();
    await client.send(get('/a'));
    await until(() => answers.size === 1, 'the request');
    answers.get('/a')?.();
    expect(await client.whole()).toMatch(/connection: close.*answer to \/a$/is);
    await connections.drain(server, 60_000);
  });
});
