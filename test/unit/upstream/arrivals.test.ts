import { beforeEach, describe, expect, it } from 'vitest';
import { type Arrivals, createArrivals } from '../../../src/upstream/arrivals.ts';

let arrivals: Arrivals;
/** Names of those that gave way, in order. */
let gone: string[];

beforeEach(() => {
  arrivals = createArrivals(() => 100);
  gone = [];
});

function begin(name: string, bytes: number) {
  const body = arrivals.begin(() => gone.push(name));
  body.hold(bytes);
  return body;
}

describe('arrivals', () => {
  it('stay as long as there is room for all', () => {
    begin('a', 40);
    begin('b', 60);
    expect(gone).toEqual([]);
  });

  it('give way to new ones, the one that has been under way longest first', () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) begin(name, 25);
    expect(gone).toEqual(['a', 'b']);
  });

  it('give way only if they take at least the average: a small one is safe from large ones, however old it is', () => {
    begin('small and slow', 1);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) begin(name, 30);
    expect(gone).toEqual(['a', 'b', 'c']);
  });

  it('are compared with the average of those that are still arriving', () => {
    for (const name of ['a', 'b', 'c']) begin(name, 1).leave();
    begin('small', 40);
    begin('large', 65);
    expect(gone).toEqual(['large']);
  });

  it('give way as one of them grows', () => {
    const growing = begin('growing', 10);
    begin('b', 50);
    growing.hold(50);
    expect(gone).toEqual([]);
    growing.hold(51);
    expect(gone).toEqual(['growing']);
  });

  it('take no room any more once they are whole, and do not give way then', () => {
    const whole = begin('whole', 90);
    whole.leave();
    whole.leave();
    whole.hold(90);
    begin('b', 100);
    expect(gone).toEqual([]);
  });

  it('take no room any more once they gave way, whatever comes of them after', () => {
    const first = begin('a', 60);
    begin('b', 60);
    first.hold(90);
    first.leave();
    begin('c', 40);
    expect(gone).toEqual(['a']);
  });

  it('give way alone if one takes more than all may', () => {
    begin('a', 101);
    begin('b', 100);
    expect(gone).toEqual(['a']);
  });
});
