// What following costs without a gateway: a bare WebSocket server that knows its one event, and writes one frame to all.
import { createServer } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { TellOrder, TellReport } from '../live/live-orders.ts';
import { announce } from './announce.ts';

const [, , debugPort = ''] = process.argv;
process.debugPort = Number(debugPort);

const server = createServer((_, res) => res.end());
const sockets = new WebSocketServer({ server, handleProtocols: ([name]) => name ?? false });
const followers: WebSocket[] = [];
let serial = 0;

sockets.on('connection', (socket) => {
  socket.on('message', (data) => {
    const { type } = JSON.parse(String(data));
    if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
    if (type === 'subscribe') followers.push(socket);
  });
});

process.on('message', (order: TellOrder) => {
  if (order.kind === 'tell') {
    serial += 1;
    const parsedJson = { n: serial, at: String(performance.timeOrigin + performance.now()) };
    // About as long as a real one.
    const event = { id: 'x'.repeat(46), type: 'x'.repeat(76), sender: 'x'.repeat(66), parsedJson };
    const liveEvents = { __typename: 'LiveEventItem', cursor: 'x'.repeat(130), event };
    const frame = Buffer.from(JSON.stringify({ id: '1', type: 'next', payload: { data: { liveEvents } } }));
    for (const socket of followers) socket.send(frame, { binary: false });
  }
  const report: TellReport = { calls: 0, queries: 0 };
  process.send?.(report);
});
announce(server);
