import { describe, expect, it } from 'vitest';
import { nextMemberStep } from '../../../../src/live/fleet/member-machine.ts';

describe('a process of a fleet', () => {
  it.each([
    ['joining', 'inStep', 'following', ['stopPolling']],
    ['joining', 'vacant', 'joining', ['lead']],
    ['joining', 'elected', 'leading', ['startPolling']],
    ['joining', 'doubt', 'alone', ['startPolling']],
    ['following', 'vacant', 'following', ['lead']],
    ['following', 'elected', 'leading', ['startPolling']],
    ['following', 'doubt', 'alone', ['startPolling']],
    ['leading', 'doubt', 'alone', ['startPolling']],
    ['alone', 'vacant', 'alone', ['lead']],
    ['alone', 'elected', 'leading', ['startPolling']],
    ['alone', 'inStep', 'following', ['stopPolling']],
  ] as const)('that is %s, after %s, is %s', (state, event, next, acts) => {
    expect(nextMemberStep(state, event)).toEqual({ state: next, acts });
  });

  it.each([
    ['following', 'inStep'],
    ['leading', 'inStep'],
    ['leading', 'elected'],
    ['leading', 'vacant'],
    ['alone', 'doubt'],
  ] as const)('that is %s stays so after %s', (state, event) => {
    expect(nextMemberStep(state, event)).toEqual({ state, acts: [] });
  });
});
