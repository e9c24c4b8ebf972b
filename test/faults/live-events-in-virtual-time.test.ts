import { afterAll, describe, expect, it } from 'vitest';
import {
  createRandom,
  type Place,
  type Proof,
  runCourse,
  sources,
  type World,
  withNetworks,
} from '../support/live-course.ts';
import { createMemoryLogs } from '../support/memory-leased-log.ts';
import { createTestClock } from '../support/memory-source.ts';
import { chaos, runs, seed } from '../support/runs.ts';
import { startVirtualGateway } from '../support/virtual-gateways.ts';

/** Milliseconds of virtual time that one wait may take. */
const waitMs = 60_000;
/** How long a stream may get nothing although its ledger has something for it. */
const maxWaitMs = 10_000;
/** How long a fleet may take to go on without its leader or without Redis. */
const failoverMs = 5_000;

const total: Proof = { items: 0, faults: 0, longestWaitMs: 0 };
afterAll(() => {
  if (chaos > 1) process.stdout.write(`${JSON.stringify({ seed, ...total })}\n`);
});

/** Runs one course, whose gateways share their readers or not. */
async function run(place: Place, isFleet: boolean): Promise<Proof> {
  const random = createRandom(seed);
  const among = (count: number) => Math.floor(random() * count);
  const clock = createTestClock(random);
  const logs = createMemoryLogs(clock);
  // In every other course, the streams of one filter use the reader of everything.
  const env = { LIVE_MAX_READERS: seed % 2 === 0 ? '0' : '32', LIVE_MAX_READERS_PER_CALLER: '32' };
  const proof = await runCourse({
    place,
    random,
    now: clock.now,
    lostMs: () => 0,
    steps: runs(20),
    followersOfEach: Math.max(1, Math.min(12, Math.floor(chaos))),
    stepMs: () => (random() < 0.1 ? among(3_000) : among(200)),
    maxWaitMs,
    async start(node): Promise<World> {
      const begin = () => {
        const own = isFleet ? logs.forProcess() : null;
        const options = { source: place.source, node, clock, env, logs: own, random };
        return { own, gateway: startVirtualGateway(options) };
      };
      const serving = Array.from({ length: isFleet ? 2 : 1 }, begin);
      const at = () => serving[among(serving.length)] as (typeof serving)[number];
      const states = ['cut', 'deaf', 'lost', 'full', 'well', 'well'] as const;
      const set = (state: (typeof states)[number]) => {
        const { own } = at();
        if (own) own.state = state;
      };
      const replace = (isKilled: boolean) => {
        const gone = at();
        serving[serving.indexOf(gone)] = begin();
        // One that is cut off keeps its streams.
        if (!isKilled && gone.own) gone.own.state = 'cut';
        if (!isKilled) return;
        gone.own?.kill();
        gone.gateway.kill();
      };
      const disturbances = [
        ...states.map((state) => () => set(state)),
        () => logs.forgetAll(),
        () => logs.forgetNewest(1 + among(3)),
        () => logs.spoilNewest(),
      ];
      return {
        pass: clock.pass,
        async until(condition, what) {
          const deadline = clock.now() + waitMs;
          while (!(await condition())) {
            if (clock.now() > deadline) throw new Error(`not within ${waitMs} ms: ${what()}`);
            await clock.pass(100);
          }
        },
        subscribe: (kind, after) => at().gateway.subscribe(kind, after),
        async disturb() {
          if (!isFleet || random() < 0.3) replace(!isFleet || random() < 0.5);
          else disturbances[among(disturbances.length)]?.();
          return false;
        },
        failoverMs: isFleet ? failoverMs : 0,
        settle() {
          for (const { own } of serving) if (own) own.state = 'well';
        },
      };
    },
  });
  total.items += proof.items;
  total.faults += proof.faults;
  total.longestWaitMs = Math.max(total.longestWaitMs, proof.longestWaitMs);
  return proof;
}

describe.each(sources)('over %s, in virtual time:', (source) => {
  it.each([
    ['alone', false],
    ['in a fleet', true],
  ])(
    `every subscriber of gateways %s gets everything once, in order and within 10 s, whatever fails (SEED=${seed})`,
    (_, isFleet) =>
      withNetworks(source, async (place) => {
        expect((await run(place, isFleet)).items).toBeGreaterThan(0);
      }),
  );
});
