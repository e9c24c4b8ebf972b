// Many who follow live events, in one process. Each result must be the event right behind the one before.
import { request } from 'node:http';
import { WebSocket } from 'ws';
import { type LiveOrder, type LiveReport, toSenderAddress } from '../live/live-orders.ts';
import { createLatencyHistogram } from '../load/latency-histogram.ts';

const [, , url = ''] = process.argv;
const query = `subscription ($filter: EventStreamFilter, $after: String) { liveEvents(filter: $filter, after: $after) {
  __typename ... on LiveEventItem { cursor event { id type sender parsedJson } } ... on LiveMissed { count } ... on LiveGap { reason } } }`;
/** Connections that are being opened at once. */
const atOnce = 64;

/** What an event stream says besides its events: that it is there, when to come back, and where it is. */
const isSilence = /^(retry: \d+\n)?:$|^id: \S+$/;

const latencies = createLatencyHistogram();
const followers: { last: number }[] = [];
let faults = 0;
let fault: string | null = null;
let cursor: string | null = null;

function fail(what: string): void {
  faults += 1;
  fault ??= what.slice(0, 300);
}

function follow(): (result: string) => void {
  const follower = { last: 0 };
  followers.push(follower);
  return (result) => {
    const item = JSON.parse(result).data?.liveEvents;
    const { n, at } = item?.event?.parsedJson ?? {};
    if (typeof n !== 'number') return fail(`behind ${follower.last} came ${result}`);
    // It counts as told from there on: one fault is told, and not every event behind it.
    if (follower.last !== 0 && n !== follower.last + 1) fail(`behind ${follower.last} came ${result}`);
    cursor ??= item.cursor;
    follower.last = n;
    latencies.add(performance.timeOrigin + performance.now() - Number(at));
  };
}

type Open = Extract<LiveOrder, { kind: 'open' }>;

function toBody({ firstSender, after }: Open, index: number): object {
  const filter = firstSender === null ? { not: { sender: '0x0' } } : { sender: toSenderAddress(firstSender + index) };
  return { query, variables: { filter, after } };
}

function openSocket(order: Open, first: number, isFrozen: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', { perMessageDeflate: false });
    const takers = new Map<string, (result: string) => void>();
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.on('error', (error) => fail(String(error)));
    socket.on('close', (code) => {
      fail(`closed with ${code}`);
      resolve();
    });
    socket.on('message', (data) => {
      const text = String(data);
      const { type, id, payload } = JSON.parse(text);
      if (type === 'next') return takers.get(id)?.(JSON.stringify(payload));
      if (type !== 'connection_ack') return fail(text);
      for (let index = 0; index < order.operations; index += 1) {
        const id = String(index + 1);
        if (!isFrozen) takers.set(id, follow());
        socket.send(JSON.stringify({ id, type: 'subscribe', payload: toBody(order, first + index) }));
      }
      if (isFrozen) socket.pause();
      resolve();
    });
  });
}

function openEvents(order: Open, first: number): Promise<void> {
  return new Promise((resolve) => {
    const take = follow();
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const asked = request(`${url}`, { method: 'POST', headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        resolve();
        const parts = (text + chunk).split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts) {
          if (part.startsWith('event: next\n')) take(part.slice(part.indexOf('\ndata: ') + 7));
          else if (!isSilence.test(part)) fail(part);
        }
      });
    });
    asked.on('error', (error) => {
      fail(String(error));
      resolve();
    });
    asked.end(JSON.stringify(toBody(order, first)));
  });
}

async function open(order: Open): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < order.connections) {
      const index = next;
      next += 1;
      if (order.over === 'sse') await openEvents(order, index);
      else await openSocket(order, index * order.operations, index < order.frozen);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

async function obey(order: LiveOrder): Promise<LiveReport> {
  if (order.kind === 'open') await open(order);
  const begun = followers.filter(({ last }) => last > 0);
  const report = {
    subscriptions: followers.length,
    begun: begun.length,
    least: followers.reduce((least, { last }) => Math.min(least, last), Number.POSITIVE_INFINITY),
    faults,
    fault,
    p50Ms: latencies.quantile(0.5),
    p99Ms: latencies.quantile(0.99),
    cursor,
  };
  if (order.kind === 'report' && order.isFresh) latencies.clear();
  return report;
}

process.on('message', (order: LiveOrder) => {
  void obey(order).then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => {});
process.send?.({ kind: 'ready', url: '' });
