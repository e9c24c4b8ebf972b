import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { Departure } from '../../../../src/server/websocket/departure.ts';
import { createSession } from '../../../../src/server/websocket/socket-session.ts';

const request = { headers: {}, socket: { remoteAddress: '203.0.113.1' } } as unknown as IncomingMessage;
const open = () => createSession({ request, requestId: 'a', usageHeaders: ['x-show-usage'] });
/** Nobody says so much besides operations. */
const tooMuch = 300 * 1024;

describe('what a client says besides operations', () => {
  it('is too much once it goes on, and counts anew from each ping', () => {
    const session = open();
    expect(session.heard(tooMuch)).toBe(true);
    expect(session.heard(1)).toBe(false);
    session.rest();
    expect([session.heard(tooMuch), session.heard(1)]).toEqual([true, false]);
  });

  it('is too much in small messages too', () => {
    const session = open();
    let count = 0;
    while (count < 100_000 && session.heard(0)) count += 1;
    expect(count).toBeGreaterThan(1_000);
    expect(count).toBeLessThan(100_000);
  });

  it('does not have the operations among it, but for those that their caller may not ask for now', () => {
    const session = open();
    for (let count = 0; count < 10; count += 1) {
      expect(session.heard(tooMuch)).toBe(true);
      session.forgive();
    }
    session.heard(tooMuch);
    session.blame(session.forgive());
    expect(session.heard(1)).toBe(false);
  });
});

describe('the operations of a connection', () => {
  it('are counted, in whatever order they end, and all that are left hear that it is gone', () => {
    const session = open();
    const operations = Array.from({ length: 6 }, () => new Departure());
    for (const each of operations) {
      session.begin(each);
      // As the server does: the list changes while it is walked.
      each.onGone(() => session.end(each));
    }
    const [first, , third, , , last] = operations as [Departure, Departure, Departure, Departure, Departure, Departure];
    for (const [index, each] of [last, first, third].entries()) {
      session.end(each);
      expect(session.operations).toBe(5 - index);
    }
    session.leave();
    expect(operations.map(({ isGone }) => isGone)).toEqual([false, true, false, true, true, false]);
    expect(session.operations).toBe(0);
  });
});
