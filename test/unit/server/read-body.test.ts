import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IncomingRequest, readBody } from '../../../src/server/read-body.ts';
import { createRoom, type Place } from '../../../src/upstream/quota.ts';
import { countLiveObjects } from '../../support/count-live-objects.ts';
import { openRawClient } from '../../support/raw-client.ts';
import { until } from '../../support/until.ts';

const maxBytes = 10;
/** Larger, for a body of more pieces than are kept one by one. */
const manyPieces = 1_300;
/** Room for a dozen bodies that arrive, with their headers. */
const arrivals = createRoom(4_000);
/** What was read, in words. */
let heard: string[];
let server: ReturnType<typeof createServer>;

beforeEach(async () => {
  heard = [];
  server = createServer({ IncomingMessage: IncomingRequest }, (req, res) =>
    readBody(req, '', { maxBytes, arrivals }, (reading) => {
      heard.push(reading.kind === 'whole' ? `whole ${reading.body}` : reading.kind);
      res.setHeader('connection', 'close');
      res.end();
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const open = () => openRawClient((server.address() as AddressInfo).port);
const declared = (size: number) => `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${size}\r\n\r\n`;
const chunked = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';
const chunks = (...texts: string[]) => texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('');
const end = '0\r\n\r\n';

describe('a body', () => {
  it.each([
    ['of none', declared(0), 'whole '],
    ['declared exactly at the bound', `${declared(10)}${'x'.repeat(10)}`, `whole ${'x'.repeat(10)}`],
    ['declared one over, of which nothing came', declared(11), 'too-large'],
    ['in pieces exactly at the bound', `${chunked}${chunks('xxxxx', 'yyyyy')}${end}`, 'whole xxxxxyyyyy'],
    ['in pieces one over', `${chunked}${chunks('xxxxx', 'yyyyy', 'z')}${end}`, 'too-large'],
    ['in pieces over, which do not end', `${chunked}${chunks('xxxxx', 'yyyyy', 'z')}`, 'too-large'],
  ])('%s', async (_, text, reading) => {
    const client = await open();
    await client.send(text);
    await client.whole();
    expect(heard).toEqual([reading]);
  });

  it('releases its memory when it is over, in any way', async () => {
    for (let index = 0; index < 8; index += 1) {
      const [whole, refused, left] = [await open(), await open(), await open()];
      for (const client of [whole, refused, left]) await client.send(chunked + chunks('x'));
      await until(() => heard.length === 3 * index, 'nothing yet');
      await whole.send(chunks('y') + end);
      await refused.send(chunks('x'.repeat(maxBytes)));
      await whole.whole();
      await refused.whole();
      left.vanish('closing');
      await until(() => heard.length === 3 * index + 3, 'the end of all');
    }
    // It takes more than each of them did, so it would give way to whatever they have left behind.
    const large = await open();
    const headers = Array.from({ length: 40 }, (_, index) => `x-${index}: a\r\n`).join('');
    await large.send(chunked.replace('host: a\r\n', `host: a\r\n${headers}`) + chunks('x'));
    await large.send(chunks('y') + end);
    await large.whole();
    expect(heard.at(-1)).toBe('whole xy');
  });

  it.each(['closing', 'resetting'] as const)('whose client disconnects by %s is aborted', async (how) => {
    const client = await open();
    await client.send(`${declared(10)}xxx`);
    client.vanish(how);
    await until(() => heard.length > 0, 'it was heard of');
    expect(heard).toEqual(['aborted']);
  });
});

/** Serves requests without closing their connections. @returns what they read, in words, and their arrivals */
async function serve(IncomingMessage: typeof IncomingRequest = IncomingRequest, isHeld = false) {
  const read: string[] = [];
  const arrivals: string[] = [];
  const requests: IncomingRequest[] = [];
  const responses: ServerResponse[] = [];
  const respond = () => {
    for (const res of responses.splice(0)) res.end();
  };
  let crowdOut = () => {};
  const enter = (_: string, abandon: () => void): Place => {
    arrivals.push('begun');
    crowdOut = abandon;
    return { hold: () => void arrivals.push('held'), leave: () => void arrivals.push('left') };
  };
  server.close();
  server = createServer({ IncomingMessage }, (req, res) => {
    requests.push(req);
    readBody(req, '', { maxBytes: 2 * manyPieces, arrivals: { enter } }, (reading) => {
      read.push(reading.kind === 'whole' ? `whole ${reading.body}` : reading.kind);
      responses.push(res);
      if (!isHeld) respond();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { read, arrivals, requests, respond, crowdOut: () => crowdOut() };
}

it('a body in many pieces is complete and in order', async () => {
  const { read } = await serve();
  const text = Array.from({ length: manyPieces }, (_, index) => String(index % 10)).join('');
  const client = await open();
  await client.send(chunked + chunks(...text) + end);
  await until(() => read.length > 0, 'the body');
  expect(read).toEqual([`whole ${text}`]);
});

it('a body that was dropped takes no memory, whatever its client still sends', async () => {
  const { read, arrivals, crowdOut } = await serve();
  const client = await open();
  await client.send(chunked + chunks('x'));
  await until(() => arrivals.length === 2, 'the first piece');
  crowdOut();
  await client.receive(/^HTTP\/1.1 200 /);
  await client.send(chunks('y') + end + declared(1));
  await client.send('z');
  await until(() => read.length === 2, 'the next request on the connection');
  expect(read).toEqual(['crowded-out', 'whole z']);
  expect(arrivals).toEqual(['begun', 'held', 'left']);
});

it('a body that was dropped takes no memory before its response either', async () => {
  const { read, arrivals, crowdOut, respond } = await serve(IncomingRequest, true);
  const client = await open();
  await client.send(chunked + chunks('x'));
  await until(() => arrivals.length === 2, 'the first piece');
  crowdOut();
  await client.send(`${chunks('y')}${end}${declared(1)}z`);
  await until(() => read.length === 2, 'the next request on the connection');
  expect(read).toEqual(['crowded-out', 'whole z']);
  expect(arrivals).toEqual(['begun', 'held', 'left']);
  respond();
});

it('a body that no code reads takes the memory of a few pieces, and the next request is served', async () => {
  const requests: IncomingRequest[] = [];
  const responses: ServerResponse[] = [];
  server.close();
  server = createServer({ IncomingMessage: IncomingRequest }, (req, res) => {
    requests.push(req);
    responses.push(res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = await open();
  await client.send(chunked + chunks(...'x'.repeat(9_000)));
  await until(() => requests[0]?.socket.isPaused() === true, 'the connection is paused');
  expect(requests[0]?.readableLength).toBe(512);
  await client.send(`${end}GET / HTTP/1.1\r\nhost: a\r\n\r\n`);
  responses[0]?.end('first');
  await until(() => responses.length === 2, 'the next request on the connection');
  responses[1]?.end('second');
  await client.receive(/first.*second/s);
});

it('a request that Node keeps does not keep its body', async () => {
  const pieces: WeakRef<Buffer>[] = [];
  const { read, requests } = await serve(
    class extends IncomingRequest {
      override push(piece: Buffer | null): boolean {
        if (piece) pieces.push(new WeakRef(piece));
        return super.push(piece);
      }
    },
  );
  const client = await open();
  await client.send(chunked + chunks('x', 'y') + end);
  await until(() => read.length > 0, 'the body');
  await client.receive(/^HTTP\/1.1 200 /);
  // It collects all garbage.
  countLiveObjects(IncomingRequest);
  expect([requests.length, pieces.map((each) => each.deref())]).toEqual([1, [undefined, undefined]]);
});
