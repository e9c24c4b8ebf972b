import { beforeEach, describe, expect, it } from 'vitest';
import { createWaitingCalls, type WaitingCall, type WaitingCalls } from '../../../src/upstream/waiting-calls.ts';

let calls: WaitingCalls;
/** Names of those that were sent, in order. */
let sent: string[];
let inFlight: WaitingCall[];

beforeEach(() => {
  calls = createWaitingCalls({ maxSent: 2, maxWaiting: 3, maxWaitingBytes: 100 });
  [sent, inFlight] = [[], []];
});

const call = (name: string, bytes = 1, caller?: string): WaitingCall => {
  const made = {
    ...{ bytes, caller, slot: 0 },
    send: () => {
      sent.push(name);
      inFlight.push(made);
    },
  };
  return made;
};
/** Ends the oldest call in flight. */
const end = () => calls.ended(inFlight.shift() as WaitingCall);
const begin = (...names: string[]) => names.map((name) => calls.begin(call(name)));

describe('calls', () => {
  it('are sent immediately while there is a connection, then in order as others end', () => {
    expect(begin('a', 'b', 'c', 'd')).toEqual([true, true, true, true]);
    expect(sent).toEqual(['a', 'b']);
    end();
    expect(sent).toEqual(['a', 'b', 'c']);
    end();
    end();
    expect(begin('e')).toEqual([true]);
    expect(sent).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('are rejected if too many wait, or too many bytes', () => {
    begin('a', 'b');
    expect(calls.begin(call('long', 100))).toBe(true);
    expect(calls.begin(call('one more byte', 1))).toBe(false);
    end();
    expect(begin('c', 'd', 'e', 'f')).toEqual([true, true, true, false]);
    expect(sent).toEqual(['a', 'b', 'long']);
  });

  it('that are cancelled while they wait are never sent, and make room', () => {
    begin('a', 'b');
    const waiting = [call('c', 90), call('d'), call('e')];
    for (const each of waiting) calls.begin(each);
    calls.leave(waiting[0] as WaitingCall);
    calls.leave(call('unknown'));
    expect(calls.begin(call('f', 90))).toBe(true);
    for (let count = 0; count < 5; count += 1) end();
    expect(sent).toEqual(['a', 'b', 'd', 'e', 'f']);
  });

  it('that end while they are sent let the next ones go, in any number', () => {
    const many = createWaitingCalls({ maxSent: 1, maxWaiting: 12_000, maxWaitingBytes: 1_000_000 });
    let failed = 0;
    const first = call('a');
    many.begin(first);
    for (let index = 0; index < 12_000; index += 1) {
      const failing: WaitingCall = {
        ...{ bytes: 1, caller: undefined, slot: 0 },
        send: () => {
          failed += 1;
          many.ended(failing);
        },
      };
      many.begin(failing);
    }
    many.ended(first);
    expect(failed).toBe(12_000);
    expect(many.begin(call('b'))).toBe(true);
    expect(sent).toEqual(['a', 'b']);
  });
});

describe('one caller', () => {
  const beginMany = (caller: string, count: number, bytes = 1) =>
    Array.from({ length: count }, () => calls.begin(call(caller, bytes, caller))).filter((isBegun) => isBegun).length;
  const countSent = () => ['a', 'b', 'c'].map((caller) => sent.filter((name) => name === caller).length);

  it('leaves connections and room to wait for other callers, and the gateway’s own calls are not bounded', () => {
    calls = createWaitingCalls({ maxSent: 128, maxWaiting: 1_024, maxWaitingBytes: 100_000 });
    expect(beginMany('a', 2_000)).toBe(96 + 768);
    expect([calls.inFlight, calls.waiting]).toEqual([96, 768]);
    expect(beginMany('b', 20)).toBe(20);
    expect(countSent()).toEqual([96, 20, 0]);
    for (let count = 0; count < 12; count += 1) calls.begin(call('own'));
    expect([calls.inFlight, calls.waiting]).toEqual([128, 768]);
    expect(beginMany('c', 1)).toBe(1);
    expect(calls.waiting).toBe(768 + 1);
  });

  it('waits while other callers pass, and goes on when it has ended some', () => {
    calls = createWaitingCalls({ maxSent: 4, maxWaiting: 20, maxWaitingBytes: 100 });
    beginMany('a', 5);
    beginMany('b', 3);
    expect([sent, calls.waiting]).toEqual([['a', 'a', 'a', 'b'], 4]);
    calls.ended(inFlight.pop() as WaitingCall);
    expect(sent.slice(4)).toEqual(['b']);
    end();
    expect(sent.slice(5)).toEqual(['a']);
    while (inFlight.length > 0) end();
    expect([countSent(), calls.inFlight, calls.waiting]).toEqual([[5, 3, 0], 0, 0]);
  });

  it('may use three quarters of the bytes for waiting bodies', () => {
    calls = createWaitingCalls({ maxSent: 1, maxWaiting: 1_000, maxWaitingBytes: 100 });
    beginMany('a', 1);
    expect(beginMany('a', 10, 10)).toBe(7);
    expect(beginMany('b', 10, 10)).toBe(2);
  });
});
