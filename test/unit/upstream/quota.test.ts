import { beforeEach, describe, expect, it } from 'vitest';
import { createRoom, isWithinShare, type Room, Share } from '../../../src/upstream/quota.ts';
import { countLiveObjects } from '../../support/count-live-objects.ts';

let room: Room;
/** Names of those that were dropped, in order. */
let gone: string[];

beforeEach(() => {
  room = createRoom(100);
  gone = [];
});

function enter(name: string, size: number, caller = 'a') {
  const place = room.enter(caller, () => gone.push(name));
  place.hold(size);
  return place;
}

it.each([
  ['three quarters if it is alone', 96, 33, 3, true],
  ['no more than that', 97, 32, 3, false],
  ['a half', 50, 50, 1, true],
  ['no more than a half', 51, 50, 1, false],
  ['the last one if it has few', 3, 1, 3, true],
  ['nothing if nothing is free', 1, 0, 3, false],
])('a caller may hold %s', (_, own, free, timesFree, expected) => {
  expect(isWithinShare(own, free, timesFree)).toBe(expected);
});

describe('what can be dropped', () => {
  it('stays while there is room for all', () => {
    enter('x', 40);
    enter('y', 60);
    expect(gone).toEqual([]);
  });

  it('is dropped for the caller’s own new ones, the oldest of equal ones first', () => {
    for (const name of ['u', 'v', 'w', 'x', 'y', 'z']) enter(name, 25);
    expect(gone).toEqual(['u', 'v']);
  });

  it('is dropped only if it is large beside the others: small ones are safe, however old', () => {
    enter('small and slow', 1);
    for (const name of ['w', 'x', 'y', 'z']) enter(name, 30);
    expect(gone).toEqual(['w']);
  });

  it('is dropped of the caller that holds most, not of one that holds less in larger members', () => {
    enter('large', 40, 'b');
    for (let index = 0; index < 61; index += 1) enter(`small ${index}`, 1);
    expect(gone).toEqual(['small 0']);
  });

  it('is never dropped of a caller that holds less than an equal share, whatever others do', () => {
    enter('mine', 33, 'mine');
    for (let index = 0; index < 1_000; index += 1) {
      enter(`b${index}`, 1, 'b');
      enter(`c${index}`, 1 + (index % 30), 'c');
    }
    expect(gone.length).toBeGreaterThan(1_000);
    expect(gone).not.toContain('mine');
  });

  it('is dropped when it grows, or alone when it is more than all the room', () => {
    const growing = enter('growing', 10, 'b');
    enter('other', 50);
    growing.hold(50);
    expect(gone).toEqual([]);
    growing.hold(51);
    expect(gone).toEqual(['growing']);
    enter('too large', 101, 'c');
    expect(gone).toEqual(['growing', 'too large']);
  });

  it('takes no room once it has left or was dropped, whatever it holds later', () => {
    const whole = enter('whole', 90);
    whole.leave();
    whole.leave();
    whole.hold(90);
    const dropped = enter('dropped', 60);
    enter('x', 60);
    dropped.hold(90);
    dropped.leave();
    enter('y', 40);
    expect([gone, room.size]).toEqual([['dropped'], 100]);
  });
});

describe('what cannot be dropped', () => {
  it('is half of the room for one caller, a quarter for the next, and there is always room for one more', () => {
    const takeAll = (caller: string) => {
      let count = 0;
      while (room.take(caller, 1)) count += 1;
      return count;
    };
    expect(['a', 'b', 'c'].map(takeAll)).toEqual([50, 25, 12]);
    expect(takeAll('d')).toBeGreaterThan(0);
  });

  it('makes others give way, and gives its part back once', () => {
    for (const name of ['x', 'y']) enter(name, 50, 'b');
    const giveBack = room.take('a', 20);
    expect(gone).toEqual(['x']);
    giveBack?.();
    giveBack?.();
    enter('z', 50, 'b');
    expect(gone).toEqual(['x']);
  });

  it('is counted on an open share, without a function for each', () => {
    const share = room.open('a');
    expect([room.takeOn(share, 40), room.takeOn(share, 40), room.size]).toEqual([true, false, 40]);
    room.giveBack(share, 40);
    expect([share.caller, room.size]).toEqual(['a', 0]);
    room.close(share);
  });
});

it('nothing is kept of callers that hold nothing', () => {
  // In a function of its own, so that nothing of it stays on the stack.
  const comeAndGo = () => {
    enter('x', 10, 'one').leave();
    room.take('another', 10)?.();
    room.take('a third', 1_000);
    room.close(room.open('a fourth'));
  };
  const before = countLiveObjects(Share);
  comeAndGo();
  expect(countLiveObjects(Share)).toBeLessThanOrEqual(before);
  expect(enter('y', 100)).toBeDefined();
});
