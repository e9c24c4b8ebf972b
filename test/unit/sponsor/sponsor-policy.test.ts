import { expect, test } from 'vitest';
import { checkPolicy, type PolicySubject, toDenialError } from '../../../src/sponsor/sponsor-policy.ts';
import { type PolicyParts, toTestPolicy } from '../../support/test-policy.ts';

const nowMs = Date.UTC(2027, 0, 1);
const sender = `0x${'a'.padStart(64, '0')}`;
const outlineOf = (...commands: readonly ('moveCall' | 'splitCoins' | 'transferObjects' | 'makeMoveVec')[]) => ({
  commands: new Set(commands),
  commandCount: commands.length,
  moveCalls: new Set(commands.includes('moveCall') ? ['0x2::a::b'] : []),
});
const usual: PolicySubject = { nowMs, gasBudget: 10, durationSecs: 60, sender, outline: outlineOf('moveCall') };

test.each<[PolicyParts, Partial<PolicySubject>, string | null, object?]>([
  [{}, {}, null],
  [{ fromMs: nowMs }, {}, null],
  [{ fromMs: nowMs + 1 }, {}, 'from', { code: 'FORBIDDEN', policy: { resetsAt: '2027-01-01T00:00:00.001Z' } }],
  [{ untilMs: nowMs + 1 }, {}, null],
  [{ untilMs: nowMs }, {}, 'until'],
  [{ gas: { perTransaction: 10 } }, {}, null],
  [{ gas: { perTransaction: 9 } }, {}, 'gas.perTransaction', { argument: 'gasBudget', policy: { limit: 9, used: 10 } }],
  [{ gas: { perTransaction: 9 } }, { gasBudget: null }, null],
  [{ reservation: { maxDurationSecs: 59 } }, {}, 'reservation.maxDurationSecs', { policy: { limit: 59, used: 60 } }],
  [{ reservation: { maxDurationSecs: 59 } }, { durationSecs: null }, null],
  [{ reservation: { needsSender: true } }, { sender: null }, 'reservation.needsSender', { code: 'BAD_USER_INPUT' }],
  [{ reservation: { needsSender: true } }, {}, null],
  [{ senders: { allow: [sender] } }, {}, null],
  [{ senders: { allow: [] } }, {}, 'senders.allow'],
  [{ senders: { allow: [] } }, { sender: null }, null],
  [{ senders: { deny: [sender], allow: [sender] } }, {}, 'senders.deny'],
  [{ commands: { max: 1 } }, {}, null],
  [{ commands: { max: 1 } }, { outline: outlineOf('moveCall', 'splitCoins') }, 'commands.max'],
  [{ commands: { allow: ['moveCall'] } }, { outline: outlineOf('transferObjects') }, 'commands.allow'],
  [{ commands: { allow: ['transferObjects'] } }, {}, 'commands.allow'],
  [{ moveCalls: ['0x2'] }, {}, null],
  [{ moveCalls: [] }, {}, 'moveCalls'],
  [{ moveCalls: ['0x2'] }, { outline: outlineOf('moveCall', 'transferObjects') }, null],
  [{ moveCalls: [] }, { outline: outlineOf('splitCoins') }, 'commands.allow', { code: 'FORBIDDEN' }],
  [{ moveCalls: [] }, { outline: outlineOf('makeMoveVec') }, 'commands.allow'],
  [{ moveCalls: [], commands: { allow: ['splitCoins'] } }, { outline: outlineOf('splitCoins') }, null],
  [{ moveCalls: [] }, { outline: null }, null],
])('%j with %j is refused by %s', (parts, about, rule, extensions = {}) => {
  const denial = checkPolicy(toTestPolicy(parts), { ...usual, ...about });
  expect(denial?.rule ?? null).toBe(rule);
  if (denial) expect(toDenialError(denial).extensions).toMatchObject({ policy: { rule }, ...extensions });
});

test('without a policy, nothing is refused here', () => {
  expect(checkPolicy(null, usual)).toBeNull();
});
