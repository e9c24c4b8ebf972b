// Every request of a run bears a number that no other one of its contestant has, so that no two bodies are the same. Ten
// digits, which can stand for an Int, in an address, a name or a cursor alike.

const first = 1_700_000_000;
const pattern = /17\d{8}/;

/** The mark that stands for all others where answers are prepared. */
export const anyMark = String(first);

/** @param serial counted from 0; up to a hundred million */
export function markOf(serial: number): string {
  return String(first + serial);
}

/** The mark that a request bears; `null` where there is none. */
export function findMark(body: string): string | null {
  return pattern.exec(body)?.[0] ?? null;
}
