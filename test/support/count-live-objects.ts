import { type Runtime, Session } from 'node:inspector';
import { queryObjects } from 'node:v8';

/** Counts the live objects of a class in this process. Collects all garbage first, which takes about a second. */
export function countLiveObjects(type: abstract new (...args: never[]) => object): number {
  return queryObjects(type, { format: 'count' });
}

interface HeldMemory {
  /** Live objects of this process, functions and arrays included. */
  readonly objects: number;
  /** Entries of all maps and sets. */
  readonly entries: number;
}

/** Called on an array of all objects. The size of a prototype throws. */
const countHeld = `function () {
  let entries = 0;
  for (const each of this) {
    try {
      if (each instanceof Map || each instanceof Set) entries += each.size;
    } catch {}
  }
  return { objects: this.length, entries };
}`;

/** Collects all garbage first, which takes about a second. */
function measureHeldMemory(): HeldMemory {
  const session = new Session();
  session.connect();
  // The session answers before `post` returns, because it inspects its own thread.
  const send = <Answer>(method: string, params: object): Answer => {
    let answer: unknown;
    session.post(method, params, (error, value) => {
      if (error) throw error;
      answer = value;
    });
    return answer as Answer;
  };
  const { result: root } = send<Runtime.EvaluateReturnType>('Runtime.evaluate', { expression: 'Object.prototype' });
  const { objects } = send<Runtime.QueryObjectsReturnType>('Runtime.queryObjects', {
    prototypeObjectId: root.objectId,
  });
  const { result } = send<Runtime.CallFunctionOnReturnType>('Runtime.callFunctionOn', {
    objectId: objects.objectId,
    functionDeclaration: countHeld,
    returnByValue: true,
  });
  session.disconnect();
  return result.value;
}

/** Rounds over which growth is measured: single rounds vary. */
const measuredRounds = 2;
/** Caches, pools and compiled code have their size after fewer rounds. */
const maxRounds = 12;

/**
 * Repeats a round of `count` operations until two rounds together leave fewer than `count` objects and entries behind. An
 * object that each operation leaves behind would be twice as many.
 */
export async function untilNothingIsLeft(count: number, round: () => Promise<unknown>): Promise<void> {
  const held: HeldMemory[] = [];
  for (let rounds = 0; rounds < maxRounds; rounds += 1) {
    await round();
    // Node keeps the timings of the first 250 responses to `fetch`.
    performance.clearResourceTimings();
    const now = measureHeldMemory();
    held.push(now);
    const before = held.at(-1 - measuredRounds);
    if (before && now.objects - before.objects < count && now.entries - before.entries < count) return;
  }
  throw new Error(`rounds of ${count} operations leave something behind: ${JSON.stringify(held)}`);
}
