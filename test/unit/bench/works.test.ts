import { describe, expect, test } from 'vitest';
import { transactionDigest } from '../../../src/transactions/digest.ts';
import { createLedgerAnswers } from '../../bench/load/ledger-answers.ts';
import { coinsOf, executedText, sponsorAddress } from '../../bench/load/sponsor-answers.ts';
import { createWorks } from '../../bench/load/works.ts';

const answerLedger = createLedgerAnswers(process.cwd());
const works = createWorks(answerLedger);

describe.each(works.map((work) => [work.id, work] as const))('%s', (_id, work) => {
  test('is asked by requests that all differ and that are equally long', () => {
    for (const dialect of ['graphql', 'floor'] as const) {
      const requests = Array.from({ length: 2 * work.variants + 2 }, (_, serial) =>
        JSON.stringify(work.request(dialect, serial)),
      );
      expect(new Set(requests).size).toBe(requests.length);
      expect(new Set(requests.map(({ length }) => length)).size).toBe(1);
    }
  });

  test('finds fault with anything but its answer', () => {
    for (const answer of [null, {}, { data: null }, { data: {} }, { errors: [] }, 'OK']) {
      expect(work.findFault('graphql', 0, answer)).not.toBeNull();
    }
  });
});

describe('a reservation', () => {
  const work = works.find(({ id }) => id === 'W4');
  const reserveGas = {
    reservationId: '7',
    sponsorAddress,
    gasBudget: 100_000_001,
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
    secondsLeft: 60,
    state: 'ACTIVE',
    gasCoins: coinsOf(100_000_001),
  };

  test('is right with the coins of its budget', () => {
    expect(work?.findFault('graphql', 1, { data: { reserveGas } })).toBeNull();
  });

  test('is wrong with those of another, with none, expired or without an id', () => {
    for (const change of [
      { gasCoins: coinsOf(100_000_002) },
      { gasCoins: [] },
      { expiresAt: '2020-01-01T00:00:00.000Z' },
      { reservationId: '' },
      { sponsorAddress: '0x1' },
    ]) {
      expect(work?.findFault('graphql', 1, { data: { reserveGas: { ...reserveGas, ...change } } })).not.toBeNull();
    }
  });
});

test('an execution is right with its own digest alone', () => {
  const work = works.find(({ id }) => id === 'W9');
  const bytesOf = (serial: number) => String(JSON.parse(work?.request('graphql', serial).body ?? '').variables.tx);
  const answerTo = (serial: number) => {
    const digest = transactionDigest(Buffer.from(bytesOf(serial), 'base64'));
    const { effects } = JSON.parse(executedText(digest));
    const { computationCost, storageCost, storageRebate } = effects.gasUsed;
    const told = { status: effects.status, gasUsed: { computationCost, storageCost, storageRebate } };
    return { data: { executeTx: { digest, outcome: 'EXECUTED', effects: told } } };
  };
  expect(work?.findFault('graphql', 5, answerTo(5))).toBeNull();
  expect(work?.findFault('graphql', 5, answerTo(6))).not.toBeNull();
  expect(work?.findFault('floor', 5, { effects: { transactionDigest: 'another' } })).not.toBeNull();
});

describe('the ledger of the bench', () => {
  test('answers the same to the same question', () => {
    const query = '{ events(first: 3) { nodes { timestamp json } } }';
    expect(answerLedger(query, {})).toBe(answerLedger(query, {}));
    expect(JSON.parse(answerLedger(query, {})).data.events.nodes).toHaveLength(3);
  });

  test('gives an object the address and version it was asked for', () => {
    const { data } = JSON.parse(answerLedger('{ object(address: "0xab", version: 5) { address version } }', undefined));
    expect(data).toEqual({ object: { address: '0xab', version: 5 } });
  });

  test('refuses what its schema does not have', () => {
    expect(JSON.parse(answerLedger('{ nothing }', {})).errors).toHaveLength(1);
  });
});
