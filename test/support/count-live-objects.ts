import { queryObjects } from 'node:v8';

/** Counts the live objects of a class in this process. Collects all garbage first, which takes about a second. */
export function countLiveObjects(type: abstract new (...args: never[]) => object): number {
  return queryObjects(type, { format: 'count' });
}
