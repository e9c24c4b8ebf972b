import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IncomingRequest, readBody } from '../../../src/server/read-body.ts';
import { createArrivals } from '../../../src/upstream/arrivals.ts';
import { openRawClient } from '../../support/raw-client.ts';
import { until } from '../../support/until.ts';

const maxBytes = 10;
/** Room for a dozen bodies that arrive, with their headers. */
const arrivals = createArrivals(() => 4_000);
/** What was read, in words. */
let heard: string[];
let server: ReturnType<typeof createServer>;

beforeEach(async () => {
  heard = [];
  server = createServer({ IncomingMessage: IncomingRequest }, (req, res) =>
    readBody(req, { maxBytes, arrivals }, (reading) => {
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
