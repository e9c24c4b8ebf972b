import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { AnswerTurns } from '../../../src/ledger/ledger-executor.ts';

it('answers that arrive together go on in their order, eight in each turn', async () => {
  const turns = new AnswerTurns();
  const done: number[] = [];
  const arrive = async (answer: number) => {
    await turns.next();
    done.push(answer);
  };
  const all = Array.from({ length: 20 }, (_, answer) => arrive(answer));
  const counts: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await Promise.resolve();
    await Promise.resolve();
    counts.push(done.length);
    await nextTurn();
  }
  await Promise.all(all);
  expect(counts).toEqual([8, 16, 20]);
  expect(done).toEqual(Array.from({ length: 20 }, (_, answer) => answer));
  // One that comes alone waits for nothing.
  await nextTurn();
  expect(turns.next()).toBeNull();
});
