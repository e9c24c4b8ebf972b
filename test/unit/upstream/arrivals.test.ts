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

describe('responses being received', () => {
  it('stay while there is memory for all', () => {
    begin('a', 40);
    begin('b', 60);
    expect(gone).toEqual([]);
  });

  it('are dropped for new ones, the oldest first', () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) begin(name, 25);
    expect(gone).toEqual(['a', 'b']);
  });

  it('are dropped only if they are at least of average size: small ones are safe, however old', () => {
    begin('small and slow', 1);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) begin(name, 30);
    expect(gone).toEqual(['a', 'b', 'c']);
  });

  it('are compared with the average of those still being received', () => {
    for (const name of ['a', 'b', 'c']) begin(name, 1).leave();
    begin('small', 40);
    begin('large', 65);
    expect(gone).toEqual(['large']);
  });

  it('are dropped when one of them grows', () => {
    const growing = begin('growing', 10);
    begin('b', 50);
    growing.hold(50);
    expect(gone).toEqual([]);
    growing.hold(51);
    expect(gone).toEqual(['growing']);
  });

  it('take no memory once they are complete, and are not dropped then', () => {
    const whole = begin('whole', 90);
    whole.leave();
    whole.leave();
    whole.hold(90);
    begin('b', 100);
    expect(gone).toEqual([]);
  });

  it('take no memory once they were dropped, whatever they receive later', () => {
    const first = begin('a', 60);
    begin('b', 60);
    first.hold(90);
    first.leave();
    begin('c', 40);
    expect(gone).toEqual(['a']);
  });

  it('are dropped alone if one exceeds the memory for all', () => {
    begin('a', 101);
    begin('b', 100);
    expect(gone).toEqual(['a']);
  });
});
