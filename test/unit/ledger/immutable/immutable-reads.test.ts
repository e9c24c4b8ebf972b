import { isDeepStrictEqual } from 'node:util';
import { type GraphQLSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Usage } from '../../../../src/documents/cost/usage.ts';
import { printJson } from '../../../../src/json/exact-json.ts';
import type { CachedAnswer } from '../../../../src/ledger/immutable/answer-memory.ts';
import type { ImmutableFields } from '../../../../src/ledger/immutable/immutable-fields.ts';
import {
  type CacheLookup,
  createImmutableReads,
  type ImmutableReads,
} from '../../../../src/ledger/immutable/immutable-reads.ts';
import { lastingRead } from '../../../support/lasting-reads.ts';
import { ledgerSchemas } from '../../../support/ledger-schemas.ts';
import { answerAt, type MovingRequest, treeOf } from '../../../support/moving-ledger.ts';
import { readKept } from '../../../support/read-kept.ts';
import { runs } from '../../../support/runs.ts';

const openReads = (tables: readonly ImmutableFields[], maxBytes = 8_000_000): ImmutableReads =>
  createImmutableReads({
    maxBytes,
    lifeMs: 600_000,
    tables,
    version: () => '2026.11.0',
    readNetworkId: () => Promise.resolve(null),
    now: () => 0,
  });

const askOf = (reads: ImmutableReads, schema: GraphQLSchema, { query, variables }: MovingRequest) => {
  const read = reads.prepare(schema, () => treeOf(query));
  return read?.ask(variables ?? {}) ?? null;
};
const bodyOf = (answer: unknown) => {
  const bytes = Buffer.from(JSON.stringify(answer));
  return { chunks: [bytes], size: bytes.length };
};

type Body = Parameters<CacheLookup['keep']>[0];
const keepOf = (ask: CacheLookup | null, body: Body) => {
  ask?.keep(body);
  return ask?.kept ?? null;
};
const textOf = (kept: CachedAnswer | null, usage: Usage | null = null) => {
  const written = kept?.write(usage);
  if (written?.kind !== 'bytes') return written?.text ?? null;
  const bytes = Buffer.concat(written.body.chunks as Buffer[]);
  expect(bytes.length).toBe(written.body.size);
  return bytes.toString();
};

/** Of generated reads: how many were kept at the first tick, and which of those are answered otherwise at the second. */
function replay(schema: GraphQLSchema, tables: readonly ImmutableFields[], seeds: number) {
  const [table] = tables.filter(({ isFor }) => schema.getQueryType()?.getFields()[isFor]);
  if (!table) throw new Error('no table is for this schema');
  const reads = openReads(tables);
  const found = { valid: 0, kept: 0, changed: [] as string[] };
  for (let seed = 1; seed <= seeds; seed += 1) {
    const request = lastingRead(schema, table, seed);
    if (validate(schema, parse(request.query)).length > 0) continue;
    found.valid += 1;
    const first = answerAt(schema, 0, request);
    const kept = keepOf(askOf(reads, schema, request), bodyOf(first));
    if (!kept) continue;
    found.kept += 1;
    const later = JSON.parse(JSON.stringify(answerAt(schema, 1, request)));
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(readKept({ kept }))), later)) found.changed.push(request.query);
  }
  return found;
}

const seeds = runs(120);

describe.each(ledgerSchemas)('reads over the schema of $name', ({ schema, tables }) => {
  it('are kept only if the ledger says the same for ever, whatever it changes', () => {
    const { valid, kept, changed } = replay(schema, tables, seeds);
    expect(changed).toEqual([]);
    expect(valid).toBeGreaterThan(seeds / 2);
    expect(kept).toBeGreaterThan(seeds / 20);
  }, 60_000);

  it('would be seen to change if the table had fields that do', () => {
    const rule = { arguments: ['address', 'first', 'digest'] };
    const wrong = tables.map((table) => ({
      ...table,
      fields: { ...table.fields, Query: { chainIdentifier: rule, object: rule, [table.isFor]: rule } },
    }));
    expect(replay(schema, wrong, 150).changed.length).toBeGreaterThan(5);
  });
});

const schemaOf = (name: string) => {
  const found = ledgerSchemas.find((each) => each.name === name);
  if (!found) throw new Error(`there is no schema of ${name}`);
  return found;
};

describe('the table of what never changes', () => {
  const { schema, tables } = schemaOf('the ledger');
  const isAsked = (query: string, variables = {}) => {
    expect(validate(schema, parse(query)).map(String), query).toEqual([]);
    return askOf(openReads(tables), schema, { query, variables }) !== null;
  };
  const final = 'effects { timestamp }';

  it.each([
    '{ chainIdentifier }',
    '{ chainIdentifier __typename }',
    '{ object(address: "0x5", version: 1) { address version digest owner { __typename } storageRebate } }',
    '{ object(address: "0x5", version: 1) { owner { ... on AddressOwner { owner { address } } } } }',
    '{ object(address: "0x5", version: 1) { asMoveObject { contents { json type { repr } } asCoin { coinBalance } } } }',
    '{ object(address: "0x5", version: 1) { ... on IObject { previousTransactionBlock { digest } } } }',
    `{ transactionBlock(digest: "d") { digest sender { address } ${final} } }`,
    '{ transactionBlock(digest: "d") { effects { checkpoint { sequenceNumber } status } } }',
    '{ transactionBlock(digest: "d") { e: effects { c: checkpoint { s: sequenceNumber } } kind { __typename } } }',
    `{ transactionBlock(digest: "d") { ${final} effects { objectChanges(first: 5) { nodes { outputState { digest } } } } } }`,
    `{ transactionBlock(digest: "d") { ${final} effects { events { pageInfo { hasNextPage } edges { node { json } } } } } }`,
    `{ transactionBlock(digest: "d") { ...T } } fragment T on TransactionBlock { ${final} }`,
    `{ transactionBlock(digest: "d") { ${final} digest @include(if: true) } }`,
    '{ checkpoint(id: { sequenceNumber: 3 }) { digest transactionBlocks(first: 2) { nodes { digest } } } }',
    '{ checkpoint(id: { digest: "d" }) { timestamp rollingGasSummary { storageCost } epoch { epochId } } }',
    '{ epoch(id: 1) { epochId } }',
    '{ epoch(id: 1) { endTimestamp referenceGasPrice totalTransactions } }',
    '{ type(type: "u8") { repr abilities layout signature } }',
  ])('has all of %s', (query) => {
    expect(isAsked(query)).toBe(true);
  });

  it.each([
    '{ __typename object(address: "0x5") { version } }',
    '{ object(address: "0x5", version: null) { version } }',
    '{ object(address: "0x5", version: 1) { status } }',
    '{ object(address: "0x5", version: 1) { balance { totalBalance } } }',
    '{ object(address: "0x5", version: 1) { dynamicFields { nodes { name { json } } } } }',
    '{ object(address: "0x5", version: 1) { owner { ... on AddressOwner { owner { balance { totalBalance } } } } } }',
    '{ object(address: "0x5", version: 1) { owner { ... on Parent { parent { version } } } } }',
    '{ object(address: "0x5", version: 1) { previousTransactionBlock { effects { status } } } }',
    '{ transactionBlock(digest: "d") { digest sender { address } } }',
    '{ transactionBlock(digest: "d") { digest effects { status epoch { epochId } } } }',
    `{ transactionBlock(digest: "d") { ${final} indexedOnNode } }`,
    `{ transactionBlock(digest: "d") { ${final} sender { objects { nodes { version } } } } }`,
    `{ transactionBlock(digest: "d") { ${final} gasInput { gasPayment { nodes { digest } } } } }`,
    `{ transactionBlock(digest: "d") { ${final} effects { events(after: "c") { nodes { json } } } } }`,
    `{ transactionBlock(digest: "d") { ${final} effects { events { edges { cursor } } } } }`,
    `{ transactionBlock(digest: "d") { ${final} effects { events { pageInfo { endCursor } } } } }`,
    '{ checkpoint { digest } }',
    '{ checkpoint(id: {}) { digest } }',
    '{ checkpoint(id: { sequenceNumber: null }) { digest } }',
    '{ checkpoint(id: { sequenceNumber: 3 }) { transactionBlocks(scanLimit: 3) { nodes { digest } } } }',
    '{ checkpoint(id: { sequenceNumber: 3 }) { epoch { totalTransactions } } }',
    '{ epoch { epochId } }',
    '{ epoch(id: 1) { referenceGasPrice } }',
    '{ epoch(id: 1) { endTimestamp validatorSet { totalStake } } }',
    '{ epoch(id: 1) { endTimestamp checkpoints { nodes { digest } } } }',
    '{ chainIdentifier availableRange { last { digest } } }',
    '{ chainIdentifier serviceConfig { maxQueryDepth } }',
    '{ address(address: "0x5") { address } }',
    '{ events(filter: { transactionDigest: "d" }) { nodes { json } } }',
    'mutation { executeTransactionBlock(txBytes: "", signatures: []) { effects { timestamp } } }',
  ])('has not all of %s', (query) => {
    expect(isAsked(query)).toBe(false);
  });

  it.each<[string, object, boolean]>([
    ['query ($v: UInt53) { object(address: "0x5", version: $v) { digest } }', { v: 3 }, true],
    ['query ($v: UInt53) { object(address: "0x5", version: $v) { digest } }', { v: null }, false],
    ['query ($v: UInt53) { object(address: "0x5", version: $v) { digest } }', {}, false],
    ['query ($v: UInt53 = 3) { object(address: "0x5", version: $v) { digest } }', {}, true],
    ['query ($v: UInt53 = 3) { object(address: "0x5", version: $v) { digest } }', { v: null }, false],
    ['query ($id: CheckpointId) { checkpoint(id: $id) { digest } }', { id: { sequenceNumber: 0 } }, true],
    ['query ($id: CheckpointId) { checkpoint(id: $id) { digest } }', { id: {} }, false],
    ['query ($id: CheckpointId) { checkpoint(id: $id) { digest } }', {}, false],
    ['query ($n: UInt53) { checkpoint(id: { sequenceNumber: $n }) { digest } }', { n: 4 }, true],
    ['query ($n: UInt53) { checkpoint(id: { sequenceNumber: $n }) { digest } }', {}, false],
  ])('asks what is given: %s with %j', (query, variables, expected) => {
    expect(isAsked(query, variables)).toBe(expected);
  });

  it('takes packages of the system by their version alone', () => {
    const iota = schemaOf('IOTA 2025.2');
    const ask = (given: string) =>
      askOf(openReads(iota.tables), iota.schema, { query: `{ package(${given}) { modules { nodes { name } } } }` });
    expect(ask('address: "0x2"')).toBeNull();
    expect(ask(`address: "0x${'0'.repeat(62)}a1"`)).toBeNull();
    expect(ask('address: "0x2", version: 7')).not.toBeNull();
    expect(ask(`address: "0x${'0'.repeat(4)}${'a'.repeat(60)}"`)).not.toBeNull();
  });

  it('is not asked about a selection too large to be worth it', () => {
    const fragments = Array.from({ length: 12 }, (_, at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`);
    const query = `{ ...F0 } ${fragments.join(' ')} fragment F12 on Query { chainIdentifier }`;
    expect(isAsked(query)).toBe(false);
  });
});

describe('an answer', () => {
  const { schema, tables } = schemaOf('the ledger');
  const query =
    'query Q($d: String!) { transactionBlock(digest: $d) { digest signatures effects { timestamp status } } }';
  const variables = { d: 'd' };
  const whole = { digest: 'd', signatures: ['s'], effects: { timestamp: 't', status: 'SUCCESS' } };
  const keep = (text: string, reads = openReads(tables)) => {
    const bytes = Buffer.from(text);
    return keepOf(askOf(reads, schema, { query, variables }), { chunks: [bytes], size: bytes.length });
  };
  const data = (transactionBlock: unknown) => JSON.stringify({ data: { transactionBlock } });

  it('is kept where all of it is known', () => {
    expect(textOf(keep(data(whole)))).toBe(data(whole));
    expect(textOf(keep(` ${data(whole)}\n `))).toBe(` ${data(whole)}\n `);
  });

  it.each<[string, string]>([
    ['nothing is known of what was asked for', data(null)],
    ['its end is not known', data({ ...whole, effects: { timestamp: null, status: 'SUCCESS' } })],
    ['something else is not known', data({ ...whole, effects: { timestamp: 't', status: null } })],
    ['an item of a list is not known', data({ ...whole, signatures: ['s', null] })],
    ['a key is missing', data({ digest: 'd', effects: whole.effects })],
    ['a key is there that nobody asked for', data({ ...whole, kind: 'x' })],
    ['an object stands where a text belongs', data({ ...whole, effects: { timestamp: 't', status: {} } })],
    ['a text stands where an object belongs', data({ ...whole, effects: 'x' })],
    ['its data are a list', JSON.stringify({ data: [whole] })],
    ['it has errors', JSON.stringify({ data: { transactionBlock: whole }, errors: [{ message: 'm' }] })],
    ['it has extensions', JSON.stringify({ data: { transactionBlock: whole }, extensions: {} })],
    ['it is cut off', data(whole).slice(0, -2)],
    ['it is no JSON', 'upstream error'],
    ['it is JSON of another kind', '"x"'],
    ['it is larger than one answer may be', data({ ...whole, digest: 'x'.repeat(300_000) })],
  ])('is not kept where %s', (_, text) => {
    const reads = openReads(tables);
    expect(keep(text, reads)).toBeNull();
    expect(reads.bytes).toBe(0);
  });

  it('with an empty list is kept only if the list needs no proof', () => {
    const sui = schemaOf('Sui');
    const keptOf = (field: string, value: unknown) => {
      const query = `{ ${field} }`;
      expect(validate(sui.schema, parse(query)).map(String)).toEqual([]);
      return keepOf(askOf(openReads(sui.tables), sui.schema, { query }), bodyOf({ data: value }));
    };
    const many = 'multiGetTransactions(keys: ["d"]) { digest effects { timestamp } }';
    expect(keptOf(many, { multiGetTransactions: [] })).toBeNull();
    const events = 'transaction(digest: "d") { effects { timestamp events { nodes { sequenceNumber } } } }';
    expect(keptOf(events, { transaction: { effects: { timestamp: 't', events: { nodes: [] } } } })).not.toBeNull();
  });

  it('has JSON of its own with whatever is in it', () => {
    const json = 'query { object(address: "0x5", version: 1) { asMoveObject { contents { json } } } }';
    const answer = { data: { object: { asMoveObject: { contents: { json: { none: null, list: [null] } } } } } };
    const kept = keepOf(askOf(openReads(tables), schema, { query: json }), bodyOf(answer));
    expect(readKept({ kept })).toEqual(answer);
  });

  it('keeps its digits and its bytes, and has usage behind its data where that is asked for', () => {
    const usage = { inputNodes: 1, outputNodes: 2, depth: 3, variables: 4, fragments: 5, queryPayload: 6 };
    for (const letter of ['a', 'é', '\u{1f600}']) {
      const text = `{"data":{"object":{"version":${'9'.repeat(20)},"digest":"${letter}"}}}\n`;
      const bytes = Buffer.from(text);
      const ask = askOf(openReads(tables), schema, {
        query: '{ object(address: "0x5", version: 1) { version digest } }',
      });
      const kept = keepOf(ask, { chunks: [bytes.subarray(0, 30), bytes.subarray(30)], size: bytes.length });
      expect(textOf(kept)).toBe(text);
      expect(textOf(kept, usage)).toBe(
        `${text.trimEnd().slice(0, -1)},"extensions":{"usage":${JSON.stringify(usage)}}}`,
      );
      expect(printJson(readKept({ kept }))).toBe(text.trimEnd());
    }
  });
});

describe('answers in memory', () => {
  const { schema, tables } = schemaOf('the ledger');

  it('are never of other variables, however these are divided', () => {
    const reads = openReads(tables);
    const query = `query ($a: String!, $b: String!) {
      a: transactionBlock(digest: $a) { digest effects { timestamp } }
      b: transactionBlock(digest: $b) { digest effects { timestamp } }
    }`;
    const answer = { digest: 'd', effects: { timestamp: 't' } };
    const read = reads.prepare(schema, () => treeOf(query));
    const keptFor = (variables: Record<string, string>) => read?.ask(variables)?.kept ?? null;
    read?.ask({ a: '1s2', b: '' })?.keep(bodyOf({ data: { a: answer, b: answer } }));
    expect(keptFor({ a: '1s2', b: '' })).not.toBeNull();
    // Written one after the other, each after a letter for its kind, they would be the same text.
    expect(keptFor({ a: '1', b: '2s' })).toBeNull();
  });

  it('of a variable that is null are not those of its default', () => {
    const reads = openReads(tables);
    const query = `query ($n: Int = 2) {
      checkpoint(id: { sequenceNumber: 3 }) { transactionBlocks(first: $n) { nodes { digest } } }
    }`;
    const read = reads.prepare(schema, () => treeOf(query));
    read?.ask({})?.keep(bodyOf({ data: { checkpoint: { transactionBlocks: { nodes: [{ digest: 'd' }] } } } }));
    expect(read?.ask({})?.kept).not.toBeNull();
    expect(read?.ask({ n: null })?.kept).toBeNull();
  });

  it('that identify the network expire after ten seconds, or as soon as others, and count as a check', () => {
    const identify = (lifeMs: number, atMs: readonly number[]) => {
      let nowMs = 0;
      let asked = 0;
      const readNetworkId = async () => {
        asked += 1;
        return null;
      };
      const options = { maxBytes: 8_000_000, lifeMs, tables, version: () => '2026.11.0' };
      const reads = createImmutableReads({ ...options, readNetworkId, now: () => nowMs });
      nowMs = 50_000;
      const read = reads.prepare(schema, () => treeOf('{ chainIdentifier }'));
      read?.ask({})?.keep(bodyOf({ data: { chainIdentifier: 'a' } }));
      const other = reads.prepare(schema, () => treeOf('{ object(address: "0x5", version: 1) { digest } }'));
      other?.ask({})?.keep(bodyOf({ data: { object: { digest: 'd' } } }));
      return atMs.map((ms) => {
        nowMs = 50_000 + ms;
        return [read?.ask({})?.isFromMemory, other?.ask({})?.isFromMemory, asked];
      });
    };
    expect(identify(600_000, [9_999, 10_000, 59_999, 60_000])).toEqual([
      [true, true, 0],
      [false, true, 0],
      [false, true, 0],
      [false, true, 1],
    ]);
    expect(identify(5_000, [4_999, 5_000])).toEqual([
      [true, true, 0],
      [false, false, 0],
    ]);
  });

  it('do not include one that was requested before all were forgotten', () => {
    const reads = openReads(tables);
    const request = { query: '{ object(address: "0x5", version: 1) { digest } }' };
    const answer = bodyOf({ data: { object: { digest: 'd' } } });
    const earlier = askOf(reads, schema, request);
    reads.clear();
    expect([keepOf(earlier, answer), reads.bytes]).toEqual([null, 0]);
    expect(keepOf(askOf(reads, schema, request), answer)).not.toBeNull();
  });

  it('have the ledger asked for its network once a minute, and no more often while it does not answer', () => {
    let nowMs = 0;
    let asked = 0;
    const askNetwork = () => {
      asked += 1;
      return Promise.reject(new Error('away'));
    };
    const options = { maxBytes: 8_000_000, lifeMs: 600_000, tables, version: () => '2026.11.0' };
    const reads = createImmutableReads({ ...options, readNetworkId: askNetwork, now: () => nowMs });
    const query = '{ object(address: "0x5", version: 1) { digest } }';
    const read = reads.prepare(schema, () => treeOf(query));
    read?.ask({})?.keep(bodyOf({ data: { object: { digest: 'd' } } }));
    const counts = [59_999, 60_000, 60_001, 119_999, 120_000, 120_001].map((at) => {
      nowMs = at;
      expect(read?.ask({})?.isFromMemory).toBe(true);
      return asked;
    });
    expect(counts).toEqual([0, 1, 1, 1, 2, 2]);
  });
});

it('an operation with very many conditions is not looked at, for what is kept of each is not charged to its document', () => {
  const ledger = ledgerSchemas.find(({ tables }) => tables.some(({ isFor }) => isFor === 'transactionBlock'));
  if (!ledger) throw new Error('there is no such schema');
  const prepare = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `e${index}`);
    const epochs = names.map((name) => `${name}: epoch(id: $${name}) { endTimestamp epochId }`);
    const text = `query (${names.map((name) => `$${name}: UInt53`)}) { ${epochs.join(' ')} }`;
    return openReads(ledger.tables).prepare(ledger.schema, () => treeOf(text));
  };
  expect(prepare(50)).not.toBeNull();
  expect(prepare(51)).toBeNull();
});
