import { buildSchema } from 'graphql';
import { expect, it, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { ledgerFreshness } from '../../../src/ledger/ledger-freshness.ts';
import type { UpstreamCall } from '../../../src/upstream/upstream-call.ts';
import { cpuMsSince } from '../../support/cpu-time.ts';

const { leastOf } = ledgerFreshness(networkProfiles.ledger, () => null);
const leastOfBody = (body: string | Buffer | null) =>
  leastOf({ method: 'POST', path: '/', headers: [], body, timeoutMs: 1_000 });
const json = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
function binary(checkpoint: bigint): string {
  const bytes = Buffer.alloc(40, 7);
  bytes.writeBigUInt64LE(checkpoint, 32);
  return bytes.toString('base64');
}
const bodyOf = (...cursors: readonly unknown[]) => JSON.stringify({ query: '{ a }', variables: { cursors } });

test.each([
  ['no cursor', bodyOf(), null],
  ['a cursor of transactions', bodyOf(json({ c: 41, t: 7, i: false })), 41],
  ['a cursor of events', bodyOf(json({ tx: 9, e: 1, c: 1_234_567 })), 1_234_567],
  ['a cursor of objects', bodyOf(binary(99n)), 99],
  ['the newest of several', bodyOf(json({ c: 5 }), binary(7n), json({ c: 6 })), 7],
  ['a literal in the text', JSON.stringify({ query: `{ a(after: "${json({ c: 12 })}") { b } }` }), 12],
  ['other JSON', bodyOf(json({ d: 1 }), json({ c: 'x' }), json({ c: -1.5 })), null],
  ['text that only looks like JSON', bodyOf('eyJhbGciOiJIUz'), null],
  ['a number that no checkpoint has', bodyOf(binary(2n ** 60n)), null],
])('the oldest checkpoint for %s', (_name, body, least) => {
  expect(leastOfBody(body)).toBe(least);
  expect(leastOfBody(Buffer.from(body))).toBe(least);
});

it('reads a long text without cursors once, not from each of its characters', () => {
  const leastCpuMs = (letter: string) => {
    const body = bodyOf(letter.repeat(1_000_000));
    const times = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      expect(leastOfBody(body)).toBeNull();
      return cpuMsSince(before);
    });
    return Math.min(...times);
  };
  // From each, it takes a hundred times as long.
  expect(leastCpuMs('A')).toBeLessThan(20 * leastCpuMs('.'));
});

it('reads no more than 20 cursors, and none without a body', () => {
  const cursors = Array.from({ length: 25 }, (_, index) => json({ c: index }));
  expect(leastOfBody(bodyOf(...cursors))).toBe(19);
  expect(leastOfBody(null)).toBeNull();
});

it.each([
  [
    '{"data":{"chainIdentifier":"2304aa97","newest":{"sequenceNumber":88,"timestamp":"1970-01-01T00:00:07Z"}}}',
    88,
    '2304aa97',
    7_000,
  ],
  ['{"data":{"chainIdentifier":"2304aa97","newest":{"sequenceNumber":88,"timestamp":"today"}}}', 88, '2304aa97'],
  ['{"data":{"chainIdentifier":7,"newest":{"sequenceNumber":"88"}}}', 88, null],
  ['{"data":{"newest":null}}', 0, null],
  ['{"data":null}', null, null],
  ['{"data":{"newest":null},"errors":[{"message":"away"}]}', null, null],
  ['{"errors":[]}', null, null],
  ['null', null, null],
])(
  'reads the newest checkpoint and the network from %s',
  async (text, newest, network, newestMs: number | null = null) => {
    const { readNewest } = ledgerFreshness(networkProfiles.iota, () => null);
    const answer = { status: 200, headers: new Map(), body: Buffer.from(text) };
    const sent: unknown[] = [];
    const found = await readNewest(async ({ body }) => {
      sent.push(body);
      return answer;
    }, 1_000);
    expect(found).toEqual({ newest, newestMs, network });
    expect(sent).toEqual(['{"query":"{chainIdentifier newest:checkpoint{sequenceNumber timestamp}}"}']);
  },
);

it.each([
  ['all', 'chainIdentifier: String checkpoint: Timed', '{chainIdentifier newest:checkpoint{sequenceNumber timestamp}}'],
  ['no time', 'chainIdentifier: String checkpoint: Untimed', '{chainIdentifier newest:checkpoint{sequenceNumber}}'],
  ['no checkpoint', 'chainIdentifier: String other: Timed', '{chainIdentifier}'],
  ['no network', 'checkpoint: Timed', '{newest:checkpoint{sequenceNumber timestamp}}'],
  ['no network and no time', 'checkpoint: Untimed', '{newest:checkpoint{sequenceNumber}}'],
  ['none', 'other: Timed', '{chainIdentifier newest:checkpoint{sequenceNumber timestamp}}'],
])('asks a ledger for what its schema has: %s', async (_, fields, query) => {
  const schema = buildSchema(
    `type Query { ${fields} } type Timed { sequenceNumber: Int timestamp: String } type Untimed { sequenceNumber: Int }`,
  );
  const { readNewest } = ledgerFreshness(networkProfiles.iota, () => schema);
  const sent: unknown[] = [];
  const call: UpstreamCall = async ({ body }) => {
    sent.push(JSON.parse(String(body)));
    return { status: 200, headers: new Map(), body: Buffer.from('{"data":{"chainIdentifier":"2304aa97"}}') };
  };
  expect(await readNewest(call, 1_000)).toEqual({ newest: null, newestMs: null, network: '2304aa97' });
  expect(sent).toEqual([{ query }]);
});
