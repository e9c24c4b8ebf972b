import { expect, test } from 'vitest';
import { createCallerGate } from '../../../src/admission/caller-gate.ts';
import type { Identity } from '../../../src/admission/identify-caller.ts';
import { toSender } from '../../../src/admission/sender.ts';
import { toTestCaller } from '../../support/test-caller.ts';

const sender = toSender({}, '203.0.113.9');
const caller = toTestCaller();
const granted = { isGranted: true, limit: 5, remaining: 4, resetsAtMs: 60_000 } as const;
const refusal = { isGranted: false, limit: 5, remaining: 0, resetsAtMs: 60_000, retryAfterSeconds: 1 } as const;
const stranger: Identity = {
  kind: 'refused',
  code: 'UNAUTHENTICATED',
  message: 'The API key is not valid.',
  rate: caller.rate,
};

function start(identity: Identity, answer: typeof granted | typeof refusal | null) {
  const consumed: (readonly [key: string, points: number])[] = [];
  const gate = createCallerGate({
    identify: () => identity,
    limiter: {
      consume: async ({ rate }, points) => {
        consumed.push([rate.key, points]);
        return answer;
      },
    },
  });
  return { gate, consumed };
}

test('an attempt counts 1 and says where the caller stands', async () => {
  const { gate, consumed } = start({ kind: 'caller', caller }, granted);
  expect(await gate.admit(sender)).toEqual({ kind: 'admitted', caller, standing: granted });
  expect(consumed).toEqual([['address:203.0.113.9', 1]]);
});

test('a caller without a limit stands nowhere', async () => {
  const { gate } = start({ kind: 'caller', caller }, null);
  expect(await gate.admit(sender)).toEqual({ kind: 'admitted', caller, standing: null });
});

test('a caller over its limit is told when to come back', async () => {
  const { gate } = start({ kind: 'caller', caller }, refusal);
  const answer = await gate.admit(sender);
  expect(answer).toMatchObject({ kind: 'refused', standing: refusal });
  expect(answer.kind === 'refused' && answer.error.toJSON()).toEqual({
    message: 'Over the limit of 5 a minute; try again in 1 second.',
    extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 1 },
  });
});

test('an operation can be charged for what it turned out to cost', async () => {
  const { gate, consumed } = start({ kind: 'caller', caller }, refusal);
  expect(await gate.charge(caller, 9)).toMatchObject({ kind: 'refused' });
  expect(consumed).toEqual([['address:203.0.113.9', 9]]);
});

test('a bad credential counts, and is answered as such', async () => {
  const { gate, consumed } = start(stranger, granted);
  const answer = await gate.admit(sender);
  expect(answer).toMatchObject({ standing: granted, error: { message: 'The API key is not valid.' } });
  expect(consumed).toEqual([['address:203.0.113.9', 1]]);
});

test('too many of them are answered as too many', async () => {
  const { gate } = start(stranger, refusal);
  expect(await gate.admit(sender)).toMatchObject({ error: { extensions: { code: 'RATE_LIMITED' } } });
});

test('one without an address is refused and not counted', async () => {
  const { gate, consumed } = start({ ...stranger, rate: null }, granted);
  expect(await gate.admit(sender)).toMatchObject({ kind: 'refused', standing: null });
  expect(consumed).toEqual([]);
});
