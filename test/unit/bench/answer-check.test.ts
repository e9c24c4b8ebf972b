import { describe, expect, test } from 'vitest';
import { createAnswerCheck } from '../../bench/load/answer-check.ts';
import { createLedgerAnswers } from '../../bench/load/ledger-answers.ts';
import type { Work } from '../../bench/load/work.ts';
import { createWorks } from '../../bench/load/works.ts';

const answerLedger = createLedgerAnswers(process.cwd());
const works = createWorks(answerLedger);
const workOf = (id: string) => works.find((work) => work.id === id) as Work;

function rightAnswer(work: Work, serial: number): string {
  const { query, variables } = JSON.parse(work.request('graphql', serial).body);
  return answerLedger(query, variables);
}

const chunked = (text: string) => [Buffer.from(text.slice(0, 20)), Buffer.from(text.slice(20))];

describe.each(['W1', 'W2', 'W3', 'W6', 'W8', 'W1-new', 'W2-new', 'W6-new'])('answers to %s', (id) => {
  const work = workOf(id);
  const right = rightAnswer(work, 3);
  const checked = () => {
    const check = createAnswerCheck(work, 'graphql');
    expect(check.findFault(3, 200, chunked(right))).toBeNull();
    return check;
  };

  test('that are right pass, whatever their chunks and the white space behind them', () => {
    const check = checked();
    expect(check.findFault(3, 200, [Buffer.from(right)])).toBeNull();
    expect(createAnswerCheck(work, 'graphql').findFault(3, 200, [Buffer.from(`${right}\n`)])).toBeNull();
  });

  test('with another status fail', () => {
    expect(checked().findFault(3, 503, chunked(right))).toContain('503');
  });

  test('that are empty, cut or longer fail', () => {
    expect(checked().findFault(3, 200, [])).not.toBeNull();
    expect(checked().findFault(3, 200, chunked(right.slice(0, -8)))).not.toBeNull();
    expect(checked().findFault(3, 200, chunked(right.replace('"', ' "')))).not.toBeNull();
  });

  test('with errors fail, wherever these stand', () => {
    const errors = '"errors":[{"message":"no"}]';
    expect(checked().findFault(3, 200, chunked(right.replace(/}$/, `,${errors}}`)))).not.toBeNull();
    expect(checked().findFault(3, 200, chunked(right.replace('{', `{${errors},`)))).not.toBeNull();
    const first = createAnswerCheck(work, 'graphql');
    expect(first.findFault(3, 200, chunked(right.replace('{', `{${errors},`)))).toContain('no');
  });

  test('with other data fail when they are looked at whole', () => {
    const other = right.replaceAll(/[0-9]/g, '7');
    expect(createAnswerCheck(work, 'graphql').findFault(3, 200, chunked(other))).toContain('other data');
    const check = checked();
    const faults = Array.from({ length: 500 }, () => check.findFault(3, 200, chunked(other)));
    expect(faults.some((fault) => fault?.includes('other data'))).toBe(true);
  });
});
