import { expect, test } from 'vitest';
import { Turns } from '../../../../src/graph/joins/stitched-joins.ts';

test('a few fields wait for nothing, thousands leave others their turns', async () => {
  const turns = new Turns();
  const waits = Array.from({ length: 2_600 }, () => turns.next());
  expect(waits.slice(0, 400).every((wait) => wait === null)).toBe(true);
  const order: string[] = [];
  let last: unknown = null;
  for (const wait of waits) {
    if (wait !== last) void wait?.then(() => order.push('field'));
    last = wait;
  }
  const other = () => {
    order.push('other');
    if (order.filter((each) => each === 'field').length < 5) setImmediate(other);
  };
  setImmediate(other);
  await waits.at(-1);
  expect(order.join(' ')).toMatch(/^field other field other field other field other field/);
});
