import { expect, it } from 'vitest';
import { createPaceOpenings } from '../../../src/server/pace-openings.ts';

it('an address that opens many connections at once has two of them read per turn, and no other address waits', () => {
  const turns: (() => void)[] = [];
  const pace = createPaceOpenings((then) => void turns.push(then));
  const read = new Set<string>();
  const open = (address: object, name: string) => {
    read.add(name);
    pace(address, { pause: () => read.delete(name) as never, resume: () => read.add(name) as never });
  };
  const [one, other] = [{}, {}];
  for (let index = 0; index < 10; index += 1) open(one, `a${index}`);
  open(other, 'b');
  expect([...read]).toEqual(['a0', 'a1', 'b']);
  turns.shift()?.();
  open(one, 'late');
  expect([read.size, read.has('late')]).toEqual([5, false]);
  for (let count = 0; count < 4; count += 1) turns.shift()?.();
  expect([read.size, read.has('late')]).toEqual([12, true]);
  for (let count = 0; count < 2; count += 1) turns.shift()?.();
  expect(turns).toEqual([]);
});
