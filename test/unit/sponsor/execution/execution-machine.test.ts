import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type ExecutionEvent,
  type ExecutionState,
  firstStep,
  nextStep,
} from '../../../../src/sponsor/execution/execution-machine.ts';

/** Each event by turns; `-` = it changes nothing. */
const events: readonly ExecutionEvent[] = [
  'checked',
  'declined',
  'begun',
  'barred',
  'replayed',
  'inProgress',
  'slow',
  'gone',
  'storeAway',
  'executed',
  'refused',
  'unsent',
  'lost',
  'late',
  'found',
  'missing',
  'left',
  'joined',
  'givenUp',
];

const settled = 'ended: settle answerOutcome';
const refused = 'ended: release answerRefusal';
const unsent = 'ended: retract answerRefusal';

/** For each state, what each event does, in the order above. */
const table: Readonly<Record<ExecutionState, readonly string[]>> = {
  opened: [
    'fencing: fence', // checked
    'ended: answerRefusal', // declined
    ...['-', '-'],
    'ended: answerOutcome', // replayed
    'following: follow', // inProgress
    'suspecting: look', // slow
    ...['-', '-', '-', '-', '-', '-', '-', '-', '-', '-', '-', '-'],
  ],
  fencing: [
    '-', // checked
    'ended: answerRefusal', // declined
    'dispatched: dispatch', // begun
    'ended: retract answerRefusal', // barred
    'ended: answerOutcome', // replayed
    'following: follow', // inProgress
    'suspecting: look', // slow
    '-', // gone
    'ended: answerRefusal retract', // storeAway
    ...['-', '-', '-', '-', '-', '-', '-'],
    'withdrawn: answerUnsent', // left
    '-', // joined
    '-', // givenUp
  ],
  withdrawn: [
    '-', // checked
    'ended:', // declined
    'ended: retract', // begun
    '-', // barred
    'ended:', // replayed
    'ended:', // inProgress
    'ended:', // slow
    '-', // gone
    'ended: retract', // storeAway
    ...['-', '-', '-', '-', '-', '-', '-', '-'],
    'fencing:', // joined
    '-', // givenUp
  ],
  dispatched: [
    ...['-', '-', '-', '-', '-', '-', '-', '-', '-'],
    settled, // executed
    refused, // refused
    unsent, // unsent
    'lookingUp: look', // lost
    'doubted: look', // late
    settled, // found
    '-', // missing
    'unawaited:', // left
    '-', // joined
    '-', // givenUp
  ],
  doubted: [
    ...['-', '-', '-', '-', '-', '-', '-', '-', '-'],
    settled, // executed
    refused, // refused
    unsent, // unsent
    'lookingUp: look', // lost
    '-', // late
    settled, // found
    'doubted: look', // missing
    'unawaited:', // left
    '-', // joined
    '-', // givenUp
  ],
  unawaited: [
    ...['-', '-', '-', '-', '-', '-', '-', '-', '-'],
    settled, // executed
    refused, // refused
    unsent, // unsent
    'swept: suspend answerUnknown sweep', // lost
    '-', // late
    settled, // found
    '-', // missing
    '-', // left
    'dispatched:', // joined
    '-', // givenUp
  ],
  lookingUp: [
    ...['-', '-', '-', '-', '-', '-', '-', '-', '-'],
    settled, // executed
    refused, // refused
    unsent, // unsent
    '-', // lost
    '-', // late
    settled, // found
    'lookingUp: look', // missing
    'swept: suspend answerUnknown sweep', // left
    '-', // joined
    '-', // givenUp
  ],
  swept: [
    ...['-', '-', '-', '-', '-', '-', '-', '-', '-'],
    settled, // executed
    refused, // refused
    unsent, // unsent
    '-', // lost
    '-', // late
    settled, // found
    'swept: sweep', // missing
    '-', // left
    'lookingUp: look', // joined
    'ended: abandon', // givenUp
  ],
  following: [
    '-', // checked
    'ended: answerRefusal', // declined
    '-', // begun
    '-', // barred
    'ended: answerOutcome', // replayed
    'following: follow', // inProgress
    'suspecting: look', // slow
    'fencing: fence', // gone
    ...['-', '-', '-', '-', '-', '-', '-', '-'],
    'ended: answerUnknown', // left
    '-', // joined
    '-', // givenUp
  ],
  suspecting: [
    ...['-', '-', '-', '-', '-', '-', '-', '-', '-', '-', '-', '-', '-', '-'],
    settled, // found
    'following: follow', // missing
    'ended: answerUnknown', // left
    '-', // joined
    '-', // givenUp
  ],
  ended: events.map(() => '-'),
};

const states = Object.keys(table) as ExecutionState[];

describe('the machine of an execution', () => {
  it.each(states.flatMap((state) => events.map((event, at) => [state, event, table[state][at]] as const)))(
    'in %s at %s: %s',
    (state, event, expected) => {
      const step = nextStep(state, event);
      const changes = step.state !== state || step.acts.length > 0;
      expect(changes ? `${step.state}: ${step.acts.join(' ')}`.trim() : '-').toBe(expected);
    },
  );

  it('begins with the preflight', () => {
    expect(firstStep).toEqual({ state: 'opened', acts: ['check'] });
  });

  it('sends once: no path leads from dispatched to sending', () => {
    const reached = new Set<ExecutionState>(['dispatched']);
    for (const state of reached)
      for (const event of events) {
        const step = nextStep(state, event);
        expect(step.acts).not.toContain('dispatch');
        reached.add(step.state);
      }
    expect([...reached].sort()).toEqual(['dispatched', 'doubted', 'ended', 'lookingUp', 'swept', 'unawaited']);
  });

  it('sends only after setting its fence', () => {
    const sending = states.flatMap((state) =>
      events.filter((event) => nextStep(state, event).acts.includes('dispatch')).map((event) => [state, event]),
    );
    expect(sending).toEqual([['fencing', 'begun']]);
  });

  it('stores an end for everything that was sent', () => {
    for (const state of states)
      for (const event of events) {
        const { state: next, acts } = nextStep(state, event);
        const wasSent = ['dispatched', 'doubted', 'unawaited', 'lookingUp'].includes(state);
        if (wasSent && next === 'ended') expect(acts.some((act) => /settle|release|retract/.test(act))).toBe(true);
        if (wasSent && next === 'swept') expect(acts).toContain('suspend');
      }
  });

  it('equals the drawn state diagram', () => {
    const page = readFileSync(new URL('../../../../docs/executing.md', import.meta.url), 'utf8');
    const drawn = [...page.matchAll(/^ {2}(\w+) --> (\w+):/gm)].map(([, from, into]) => `${from} ${into}`);
    const ways = states.flatMap((state) =>
      events.flatMap((event) => {
        const { state: next, acts } = nextStep(state, event);
        return next === state && acts.length === 0 ? [] : [`${state} ${next}`];
      }),
    );
    expect([...new Set(drawn)].sort()).toEqual([...new Set(ways)].sort());
  });
});
