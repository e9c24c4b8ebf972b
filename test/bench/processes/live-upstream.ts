// The node behind the bench of live events: it tells events when it is ordered to, and answers queries for them.
import { createServer } from 'node:http';
import { base58 } from '@scure/base';
import { type TellOrder, type TellReport, toSenderAddress } from '../live/live-orders.ts';
import { announce } from './announce.ts';

interface Event {
  readonly id: { readonly txDigest: string; readonly eventSeq: string };
  readonly sender: string;
}

const all: Event[] = [];
const bySender = new Map<string, Event[]>();
/** By name, the places in both lists. */
const places = new Map<string, { readonly inAll: number; readonly ofSender: number }>();
const queries = new Set<string>();
let calls = 0;

function tell(senders: number): void {
  for (let number = 1; number <= senders; number += 1) {
    const sender = toSenderAddress(number);
    const own = bySender.get(sender) ?? [];
    const digest = new Uint8Array(32);
    new DataView(digest.buffer).setUint32(0, all.length + 1);
    const event = {
      id: { txDigest: base58.encode(digest), eventSeq: '0' },
      packageId: toSenderAddress(2),
      transactionModule: 'bench',
      sender,
      type: `${toSenderAddress(2)}::bench::Told`,
      // The same number for whoever follows this sender, and for whoever follows all while one sender tells.
      parsedJson: { n: own.length + 1, at: String(performance.timeOrigin + performance.now()) },
      bcs: 'AAAA',
      timestampMs: String(Date.now()),
    };
    places.set(event.id.txDigest, { inAll: all.length, ofSender: own.length });
    own.push(event);
    bySender.set(sender, own);
    all.push(event);
  }
}

type Params = [{ readonly Sender?: string }, { readonly txDigest: string } | null, number, boolean];

function page([filter, cursor, limit, isDescending]: Params): object {
  const events = filter.Sender === undefined ? all : (bySender.get(filter.Sender) ?? []);
  if (isDescending) return { data: events.slice(-limit).reverse(), nextCursor: null, hasNextPage: false };
  const place = cursor && places.get(cursor.txDigest);
  const start = place ? (filter.Sender === undefined ? place.inAll : place.ofSender) + 1 : 0;
  const data = events.slice(start, start + limit);
  return { data, nextCursor: data.at(-1)?.id ?? cursor, hasNextPage: start + limit < events.length };
}

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const { id, params } = JSON.parse(Buffer.concat(chunks).toString());
    calls += 1;
    queries.add(JSON.stringify(params[0]));
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: page(params) });
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
  });
});

process.on('message', (order: TellOrder) => {
  if (order.kind === 'tell') tell(order.senders);
  const report: TellReport = { calls, queries: queries.size };
  process.send?.(report);
});
announce(server);
