import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { BlockSplitter, createGraphqlSubscriptions } from '../../src/upstream/sockets/graphql-event-streams.ts';
import { createRpcSocket } from '../../src/upstream/sockets/rpc-socket.ts';
import { SharedConnection, usualSocketOptions } from '../../src/upstream/sockets/shared-connection.ts';
import { cpuMsSince } from '../support/cpu-time.ts';
import { until } from '../support/until.ts';

const socket = { connectMs: 100, beatMs: 50, maxMessageBytes: 10_000, maxMessagesPerSecond: 100 };
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A WebSocket server whose responses a test decides. @returns its URL */
async function serve(answer: (socket: WebSocket, message: { id?: unknown; type?: string; method?: string }) => void) {
  const server: Server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new WebSocketServer({ server, handleProtocols: (offered) => [...offered][0] ?? false });
  sockets.on('connection', (each) => {
    each.on('error', () => {});
    each.on('message', (data) => answer(each, JSON.parse(String(data))));
  });
  closers.push(async () => {
    for (const each of sockets.clients) each.terminate();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, clients: sockets.clients };
}

/** A server that accepts connections and sends nothing. */
async function serveSilence() {
  const open = new Set<{ destroy(): void }>();
  const server = createTcpServer((each) => {
    open.add(each.on('error', () => {}).on('close', () => open.delete(each)));
    // Without this, its end would go unnoticed.
    each.resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    for (const each of open) each.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, clients: open };
}

/** The results of one subscription, in the same form for both protocols. */
interface Heard {
  readonly told: unknown[];
  readonly end: string | null;
  readonly leave: () => void;
}

const protocols = {
  graphql(url: string, about: Partial<typeof socket> = {}): Heard {
    const heard = { told: [] as unknown[], end: null as string | null, leave: () => {} };
    const own = createGraphqlSubscriptions({ urls: [url], graceMs: 10, socket: { ...socket, ...about } });
    closers.push(() => own.close());
    heard.leave = own.subscribe(
      { query: 'subscription{a}' },
      {
        next: (result) => heard.told.push(result),
        refused: () => {
          heard.end = 'refused';
        },
        ended: () => {
          heard.end = 'ended';
        },
        lost: ({ failure }) => {
          heard.end = failure;
        },
      },
    );
    return heard;
  },
  rpc(url: string, about: Partial<typeof socket> = {}): Heard {
    const heard = { told: [] as unknown[], end: null as string | null, leave: () => {} };
    const own = createRpcSocket({ urls: [url], graceMs: 10, answerMs: 150, socket: { ...socket, ...about } });
    closers.push(() => own.close());
    heard.leave = own.subscribe(
      { subscribe: 's', unsubscribe: 'u', params: [] },
      {
        up: () => heard.told.push('up'),
        news: () => heard.told.push('news'),
        refused: () => {
          heard.end = 'refused';
        },
        lost: () => {
          heard.end = 'lost';
        },
      },
    );
    return heard;
  },
};

/** Acknowledges, and sends the rest once something subscribes. */
const afterSubscribing =
  (say: (each: WebSocket, id: unknown) => void) =>
  (each: WebSocket, { id, type, method }: { id?: unknown; type?: string; method?: string }) => {
    if (type === 'connection_init') each.send('{"type":"connection_ack"}');
    if (method === 's') each.send(JSON.stringify({ jsonrpc: '2.0', id, result: 7 }));
    if (type === 'subscribe' || method === 's') say(each, id);
  };

describe.each(['graphql', 'rpc'] as const)('an upstream that pushes over %s', (protocol) => {
  const lost = (failure: string) => (protocol === 'rpc' ? 'lost' : failure);

  it.each([
    ['a message over the bound', (each: WebSocket) => each.send('x'.repeat(20_000)), 'too-large'],
    ['a message that is not text', (each: WebSocket) => each.send(Buffer.from([1, 2, 3])), 'garbled'],
    ['what is no JSON', (each: WebSocket) => each.send('{'), 'garbled'],
    ['nothing, and cuts the line', (each: WebSocket) => each.terminate(), 'interrupted'],
    ['that it ends in good order', (each: WebSocket) => each.close(1000), 'interrupted'],
    ['nothing, not even that it is there', (each: WebSocket) => each.pause(), 'interrupted'],
  ])('and says %s is lost, and not asked again from here', async (_, say, failure) => {
    let asked = 0;
    const { url, clients } = await serve(
      afterSubscribing((each) => {
        asked += 1;
        say(each);
      }),
    );
    const heard = protocols[protocol](url);
    await until(() => heard.end !== null, 'the end');
    expect(heard.end).toBe(lost(failure));
    for (const each of clients) each.resume();
    await until(() => clients.size === 0, 'the connection to be closed');
    expect(asked).toBe(1);
  });

  it('and never finishes its handshake is abandoned', async () => {
    const { url } = await serveSilence();
    const heard = protocols[protocol](url);
    await until(() => heard.end !== null, 'the end');
    expect(heard.end).toBe(lost('unreachable'));
  });

  it('and never responds is abandoned', async () => {
    const { url } = await serve(() => {});
    const heard = protocols[protocol](url);
    await until(() => heard.end !== null, 'the end');
    expect(heard.end).toBe(lost('timeout'));
  });

  it('to unknown subscription ids is ignored', async () => {
    const { url } = await serve(
      afterSubscribing((each, id) => {
        for (const name of ['404', '999999999999']) {
          each.send(JSON.stringify({ id: name, type: 'next', payload: { data: 1 } }));
          each.send(JSON.stringify({ id: name, type: 'complete' }));
        }
        for (const subscription of [8, '7', '__proto__', null, { a: 1 }]) {
          if (protocol === 'rpc') each.send(JSON.stringify({ jsonrpc: '2.0', params: { subscription } }));
        }
        if (protocol === 'rpc') each.send('{"id":404,"result":7}');
        each.send(JSON.stringify({ id, type: 'next', payload: { data: 2 }, params: { subscription: 7 } }));
      }),
    );
    const heard = protocols[protocol](url);
    await until(() => heard.told.length >= (protocol === 'rpc' ? 2 : 1), 'what is meant');
    expect(heard.told).toEqual(protocol === 'rpc' ? ['up', 'news'] : [{ data: 2 }]);
    heard.leave();
  });

  it('and floods is read no faster than allowed', async () => {
    const { url } = await serve(
      afterSubscribing((each, id) => {
        // So long that few of them arrive in one read, because data in one read are handled together.
        const filler = 'x'.repeat(9_000);
        const text = JSON.stringify({ id, type: 'next', payload: { data: 2 }, params: { subscription: 7 }, filler });
        const send = (left: number) => {
          if (left === 0 || each.readyState !== each.OPEN) return;
          each.send(text);
          setImmediate(send, left - 1);
        };
        send(1_000);
      }),
    );
    const began = performance.now();
    const heard = protocols[protocol](url);
    await until(() => heard.told.length >= 250, 'more than may be read in two seconds');
    // A hundred may be read each second, and with the last of them a few that arrived together with it.
    expect(performance.now() - began).toBeGreaterThan(1_900);
    expect(heard.told.length).toBeLessThan(250 + 110);
    expect(heard.end).toBeNull();
    heard.leave();
  });

  it('is disconnected, with or without a response, and receives no end', async () => {
    const { url, clients } = await serveSilence();
    // It is not abandoned for another reason.
    const heard = protocols[protocol](url, { connectMs: 3_600_000, beatMs: 3_600_000 });
    await until(() => clients.size === 1, 'a connection');
    heard.leave();
    await until(() => clients.size === 0, 'it to be closed');
    expect(heard.end).toBeNull();
  });
});

it('and closes oddly does not make the library reconnect for ever', async () => {
  let connections = 0;
  const { url } = await serve((each, { type }) => {
    if (type !== 'connection_init') return;
    connections += 1;
    each.close(1000);
  });
  const heard = protocols.graphql(url);
  await until(() => heard.end !== null, 'the end');
  expect([heard.end, connections]).toEqual(['interrupted', 1]);
});

/** A server whose event streams a test writes. @returns its URL, and the connections that are open */
async function serveEvents(say: (res: ServerResponse) => void) {
  const open = new Set<ServerResponse>();
  const server = createServer((req, res) => {
    open.add(res.on('close', () => open.delete(res)));
    req.resume();
    say(res);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, open };
}

/** Writes text again and again, until nobody listens. */
function writeForEver(res: ServerResponse, text: string): void {
  if (res.destroyed) return;
  if (res.write(text)) setImmediate(writeForEver, res, text);
  else res.once('drain', () => writeForEver(res, text));
}

describe('an upstream that pushes as server-sent events', () => {
  // It is not abandoned for another reason.
  const patient = { connectMs: 3_600_000, beatMs: 3_600_000 };
  const stream = (say: (res: ServerResponse) => void) => (res: ServerResponse) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    say(res);
  };

  it.each<[string, (res: ServerResponse) => void, string]>([
    ['a line without end', stream((res) => writeForEver(res, 'x')), 'too-large'],
    ['an event without end', stream((res) => writeForEver(res, 'data: {}\n')), 'too-large'],
    [
      'an event over the bound',
      stream((res) => res.write(`event: next\ndata: ${'x'.repeat(20_000)}\n\n`)),
      'too-large',
    ],
    ['an event that is no JSON', stream((res) => res.write('event: next\ndata: {\n\n')), 'garbled'],
    ['nothing, and ends the stream', stream((res) => res.end()), 'interrupted'],
    ['a part of an event, and cuts the line', stream((res) => res.write('data:', () => res.destroy())), 'interrupted'],
    ['an error page without end', (res) => writeForEver(res.writeHead(200), '<p>'), 'too-large'],
    ['what is no answer', (res) => res.writeHead(200).end('<p>'), 'garbled'],
    ['that it has failed', (res) => res.writeHead(503).end(), 'unreachable'],
  ])('and says %s is lost', async (_, say, failure) => {
    const { url, open } = await serveEvents(say);
    const heard = protocols.graphql(url, patient);
    await until(() => heard.end !== null, 'the end');
    expect([heard.end, heard.told]).toEqual([failure, []]);
    await until(() => open.size === 0, 'the connection to be closed');
  });

  it.each<[string, (res: ServerResponse) => void]>([
    ['does not respond', () => {}],
    ['is silent on an open stream', stream((res) => res.flushHeaders())],
  ])('and %s is abandoned', async (_, say) => {
    const { url, open } = await serveEvents(say);
    const heard = protocols.graphql(url);
    await until(() => heard.end !== null, 'the end');
    expect(heard.end).toBe('timeout');
    await until(() => open.size === 0, 'the connection to be closed');
  });

  it('and cuts events into single bytes is understood', async () => {
    const event = 'event: next\r\ndata: {"data":"é"}\r\n\r\n';
    const { url } = await serveEvents(
      stream((res) => {
        const send = (bytes: readonly number[]) => {
          if (bytes.length > 0) res.write(Buffer.from(bytes.slice(0, 1)), () => setImmediate(send, bytes.slice(1)));
        };
        send([...Buffer.from(`:\n\n${event}:\r\n\r\n${event}`)]);
      }),
    );
    const heard = protocols.graphql(url, patient);
    await until(() => heard.told.length === 2, 'both events');
    expect(heard.told).toEqual([{ data: 'é' }, { data: 'é' }]);
    heard.leave();
  });

  it('and cuts a long event into small pieces costs time for its bytes alone', () => {
    const splitter = new BlockSplitter(true);
    const piece = 'x'.repeat(50);
    const before = process.cpuUsage();
    // Reading the whole event again at each piece would take minutes.
    for (let count = 0; count < 80_000; count += 1) splitter.add(piece);
    expect(splitter.add('\n')).toEqual([]);
    expect(splitter.add('\n').map(({ length }) => length)).toEqual([4_000_000]);
    expect(cpuMsSince(before)).toBeLessThan(5_000);
    expect(splitter.pendingLength).toBe(0);
  });
});

describe('an upstream that stops reading', () => {
  it('is abandoned before waiting messages fill the memory', async () => {
    const { url } = await serve((each) => each.pause());
    const lost: string[] = [];
    let isOpen = false;
    class SilentSocket extends SharedConnection<never, never> {
      opened(): void {
        isOpen = true;
      }
      read(): void {}
      ask(): void {}
      left(): void {}
      override lose({ message }: Error): void {
        lost.push(message);
      }
      override send(text: string): void {
        super.send(text);
      }
    }
    const options = { ...usualSocketOptions, ...socket, beatMs: 60_000 };
    const own = new SilentSocket({ url, headers: {}, options, unused() {}, closed() {} }, null);
    closers.push(() => own.close());
    await until(() => isOpen, 'a connection');
    const text = JSON.stringify({ type: 'x'.repeat(1024 * 1024) });
    let sent = 0;
    // The kernel buffers some of it too, which takes turns of the event loop.
    while (lost.length === 0 && sent < 200) {
      own.send(text);
      sent += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(lost).toEqual([expect.stringContaining('the upstream does not read')]);
    expect(sent).toBeLessThan(100);
  });
});
