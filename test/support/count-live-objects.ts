import { queryObjects } from 'node:v8';

/**
 * How many objects of a class this process still holds on to, whoever does: collects all garbage first, so a second of
 * patience for each call.
 */
export function countLiveObjects(type: abstract new (...args: never[]) => object): number {
  return queryObjects(type, { format: 'count' });
}
