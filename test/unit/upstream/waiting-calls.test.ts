import { beforeEach, describe, expect, it } from 'vitest';
import { createWaitingCalls, type WaitingCall, type WaitingCalls } from '../../../src/upstream/waiting-calls.ts';

let calls: WaitingCalls;
/** Names of those that were sent, in order. */
let sent: string[];

beforeEach(() => {
  calls = createWaitingCalls({ maxSent: 2, maxWaiting: 3, maxWaitingBytes: 100 });
  sent = [];
});

const call = (name: string, bytes = 1): WaitingCall => ({ bytes, send: () => void sent.push(name) });
const begin = (...names: string[]) => names.map((name) => calls.begin(call(name)));

describe('calls', () => {
  it('are sent immediately while there is a connection, then in order as others end', () => {
    expect(begin('a', 'b', 'c', 'd')).toEqual([true, true, true, true]);
    expect(sent).toEqual(['a', 'b']);
    calls.ended();
    expect(sent).toEqual(['a', 'b', 'c']);
    calls.ended();
    calls.ended();
    expect(begin('e')).toEqual([true]);
    expect(sent).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('are rejected if too many wait, or too many bytes', () => {
    begin('a', 'b');
    expect(calls.begin(call('long', 100))).toBe(true);
    expect(calls.begin(call('one more byte', 1))).toBe(false);
    calls.ended();
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
    for (let count = 0; count < 5; count += 1) calls.ended();
    expect(sent).toEqual(['a', 'b', 'd', 'e', 'f']);
  });

  it('that end while they are sent let the next ones go, in any number', () => {
    const many = createWaitingCalls({ maxSent: 1, maxWaiting: 12_000, maxWaitingBytes: 1_000_000 });
    let failed = 0;
    many.begin(call('a'));
    for (let index = 0; index < 12_000; index += 1) {
      many.begin({
        bytes: 1,
        send: () => {
          failed += 1;
          many.ended();
        },
      });
    }
    many.ended();
    expect(failed).toBe(12_000);
    expect(many.begin(call('b'))).toBe(true);
    expect(sent).toEqual(['a', 'b']);
  });
});
