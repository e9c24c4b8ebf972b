import { expect, test } from 'vitest';
import { createLedgerAnswers } from '../../bench/load/ledger-answers.ts';
import { anyMark, findMark, markOf } from '../../bench/load/request-mark.ts';
import { createWorks } from '../../bench/load/works.ts';

test('marks differ, are equally long, and fit an Int', () => {
  const marks = [0, 1, 99_999_999].map(markOf);
  expect(new Set(marks).size).toBe(3);
  expect(marks.every((mark) => mark.length === anyMark.length && Number(mark) < 2 ** 31)).toBe(true);
});

test('the mark of a request is found in whatever form it stands there', () => {
  // Those about gas are new in other ways, in the sponsor's own terms.
  const works = createWorks(createLedgerAnswers(process.cwd())).filter(({ id }) => !['W4', 'W7', 'W9'].includes(id));
  for (const work of works) {
    expect([work.id, findMark(work.request('graphql', 123).body)]).toEqual([work.id, markOf(123)]);
  }
  expect(findMark('{"query":"{ chainIdentifier }"}')).toBeNull();
});

test('the same question gets the same answer, apart from its mark', () => {
  const answerLedger = createLedgerAnswers(process.cwd());
  for (const work of createWorks(answerLedger).filter(({ isForwarded, id }) => isForwarded && id !== 'W4')) {
    const [one, other] = [work.variants, 2 * work.variants].map((serial) => {
      const { query, variables } = JSON.parse(work.request('floor', serial).body);
      return answerLedger(query, variables).replaceAll(markOf(serial), anyMark);
    });
    expect(one).toBe(other);
  }
});
