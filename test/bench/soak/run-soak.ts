import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Child, Children } from '../load/child-processes.ts';
import { toGatewayCommand } from '../load/gateway-command.ts';
import { createLedgerAnswers } from '../load/ledger-answers.ts';
import { readCpuMs, readMachineCpuMs, readRssMib } from '../load/process-usage.ts';
import { createWorks } from '../load/works.ts';
import { hasSettled, toWindowSeconds } from './judge-memory.ts';
import { floodingMs, openSoakFaults, roundSeconds } from './soak-faults.ts';
import { rememberedSeconds, requestsUntilAllSeen, soakWeights } from './soak-mix.ts';
import type { SoakOptions } from './soak-options.ts';
import type { SoakOrder, SoakReport } from './soak-orders.ts';
import { type AtRest, findLeak, formatSample, type SoakResult, type SoakSample } from './soak-report.ts';

/** How often the gateway looks at the schema of a ledger that changes it, in milliseconds. */
const pollMs = 500;
/** Who has not taken a new schema over by then never will; in milliseconds. */
const swapDeadlineMs = 120_000;
/**
 * Changes of schema before anything is measured: a process that never made one has not yet taken the room for it, and
 * what is once taken is not given back at once.
 */
const rehearsals = 10;
/** The gateway closes idle connections and readers within this time, in milliseconds. */
const restDeadlineMs = 60_000;
/** The longest stretch by which it is decided whether memory has settled, in seconds. */
const settlingWindowSeconds = 30;

/** Loads the gateway until its memory has settled, then for as long as was asked for. Rejects when a process ends. */
export async function runSoak(
  children: Children,
  options: SoakOptions,
  say: (line: string) => void,
): Promise<SoakResult> {
  const ours = (name: string) => new URL(`../processes/${name}.js`, import.meta.url);
  const upstream = await children.fork('upstream', ours('upstream'), []);
  const faults = options.withFaults ? await openSoakFaults(children, upstream) : null;
  const env = { ...(options.generations > 0 && { SCHEMA_POLL_MS: String(pollMs) }), ...faults?.env };
  const toCommand = (port: number) => toGatewayCommand(port, upstream.url, env);
  const gateway = await children.spawnServer('gateway', toCommand, '/health/ready');
  const before = await countAtRest(gateway);
  const client = await children.fork('client', ours('soak-client'), [gateway.url]);
  const order = async (what: SoakOrder) => (await client.ask(what)) as unknown as SoakReport;
  const swaps = createSwaps(upstream, gateway);
  const rehearse = async (): Promise<Pick<SoakReport, 'errors'>> => {
    if (options.generations === 0) return { errors: 0 };
    say(`rehearsing ${rehearsals} changes of schema`);
    const load = order({ kind: 'saturate', atLeastMs: rehearsals * pollMs, atLeastRequests: 1 });
    await swaps.rehearse(rehearsals, 0);
    return load;
  };

  const flood = async (): Promise<Pick<SoakReport, 'errors'>> => {
    if (!faults) return { errors: 0 };
    say('rehearsing responses that are too large');
    await order({ kind: 'report', faulty: 'ledger' });
    const load = order({ kind: 'saturate', atLeastMs: floodingMs, atLeastRequests: 1 });
    await faults.flood();
    return load;
  };

  say('warming up: everything is asked once');
  const works = createWorks(createLedgerAnswers(process.cwd()));
  const variants = Object.fromEntries(works.map((work) => [work.id, work.variants]));
  const warmUp = requestsUntilAllSeen(soakWeights, variants);
  const warmed = await order({
    kind: 'saturate',
    atLeastMs: options.capacitySeconds * 500,
    atLeastRequests: warmUp,
  });
  const rehearsed = await rehearse();
  const flooded = await flood();
  const totalSeconds = options.minutes * 60;
  const windowSeconds = toWindowSeconds(totalSeconds);
  // Between a first stretch before any change and a last one well after all of them.
  const changingMs = (totalSeconds - 3 * windowSeconds) * 1_000;
  const saturated = await measureCapacity(order, swaps, options, changingMs);
  const capacityPerSecond = (saturated.requests * 1_000) / saturated.elapsedMs;
  const pacedPerSecond = (capacityPerSecond * options.load) / 100;
  say(`capacity ${capacityPerSecond.toFixed(0)} requests a second; paced at ${pacedPerSecond.toFixed(0)}`);

  const beganAt = performance.now();
  let errors = warmed.errors + rehearsed.errors + flooded.errors + saturated.errors;
  let shownErrors = saturated.faults;
  const explained: Record<string, number> = {};
  await order({ kind: 'pace', requestsPerSecond: pacedPerSecond });
  await faults?.open(gateway.url);
  const lookAtCpu = createCpuMeter(gateway, [upstream, client]);
  const sample = async (): Promise<SoakSample> => {
    await pause(options.sampleSeconds * 1_000);
    const turn = faults?.turn((performance.now() - beganAt) / 1_000);
    const report = await order({ kind: 'report', faulty: turn?.faulty ?? null });
    turn?.apply();
    errors += report.errors;
    shownErrors = report.faults;
    for (const [code, count] of Object.entries(report.explained)) explained[code] = (explained[code] ?? 0) + count;
    const sample: SoakSample = {
      ...report,
      ...lookAtCpu(),
      atSeconds: (performance.now() - beganAt) / 1_000,
      rssMib: readRssMib(gateway.pid) ?? fail('the gateway ended by itself'),
      openFiles: readdirSync(`/proc/${gateway.pid}/fd`).length,
      generation: swaps.inForce,
    };
    say(formatSample(sample));
    return sample;
  };

  const settledAfterSeconds = await settle(sample, options, say);

  const samples: SoakSample[] = [];
  const swapping = swaps.run(options.generations, windowSeconds * 1_000, changingMs);
  const endsAt = performance.now() + totalSeconds * 1_000;
  while (performance.now() < endsAt) samples.push(await Promise.race([sample(), swapping.failed]));
  const brokenStream = (await faults?.close()) ?? null;
  const rest = await order({ kind: 'stop' });
  for (const { pid } of [client, upstream]) process.kill(pid);

  return {
    capacityPerSecond,
    pacedPerSecond,
    settledAfterSeconds,
    samples,
    perWindow: Math.round(windowSeconds / options.sampleSeconds),
    generations: options.generations,
    errors: errors + rest.errors,
    faults: rest.faults.length > 0 ? rest.faults : shownErrors,
    explained,
    streams: faults && { ...faults.count(), broken: brokenStream },
    before,
    after: await untilAtRest(gateway, before),
  };
}

/** Handles of the gateway: all are closed or zero when no client and no upstream is left. */
async function countAtRest(gateway: Child): Promise<AtRest> {
  const page = await (await fetch(`${gateway.url}/metrics`)).text();
  const sum = (name: string) =>
    [...page.matchAll(new RegExp(`^ledger_gateway_${name}(?:\\{.*\\})? (\\d+)$`, 'gm'))].reduce(
      (all, [, value]) => all + Number(value),
      0,
    );
  return {
    openFiles: readdirSync(`/proc/${gateway.pid}/fd`).length,
    callsInFlight: sum('upstream_in_flight') + sum('upstream_waiting'),
    streams: sum('live_streams') + sum('live_readers'),
    bodyBytes: sum('body_bytes'),
  };
}

/** Waits until nothing is open that was not open at first; what is left after a minute has leaked. */
async function untilAtRest(gateway: Child, before: AtRest): Promise<AtRest> {
  const deadline = performance.now() + restDeadlineMs;
  for (;;) {
    const now = await countAtRest(gateway);
    if (!findLeak(before, now) || performance.now() > deadline) return now;
    await pause(500);
  }
}

/**
 * How much can be taken where the schema changes as often as it will later: a pace that leaves no time for the changes
 * could not be kept.
 * @param changingMs over which the changes of the measured part will be spread
 */
async function measureCapacity(
  order: (what: SoakOrder) => Promise<SoakReport>,
  swaps: Swaps,
  { generations, capacitySeconds }: SoakOptions,
  changingMs: number,
): Promise<SoakReport> {
  if (generations === 0) return order({ kind: 'saturate', atLeastMs: capacitySeconds * 1_000, atLeastRequests: 1 });
  const gapMs = changingMs / generations;
  const changes = Math.max(1, Math.ceil((capacitySeconds * 1_000) / gapMs));
  const changing = swaps.rehearse(changes, gapMs);
  const saturated = await order({ kind: 'saturate', atLeastMs: changes * gapMs, atLeastRequests: 1 });
  await changing;
  return saturated;
}

/** @returns what tells the cores that were busy since it was asked before */
function createCpuMeter(
  gateway: Child,
  others: readonly Child[],
): () => Pick<SoakSample, 'gatewayCores' | 'elsewhereCores'> {
  const read = () => {
    const gatewayMs = readCpuMs(gateway.pid);
    // This process, which looks, is one of the soak's own.
    const own = process.cpuUsage();
    const oursMs = others.reduce((sum, { pid }) => sum + readCpuMs(pid), (own.user + own.system) / 1_000);
    return { atMs: performance.now(), gatewayMs, elsewhereMs: readMachineCpuMs() - gatewayMs - oursMs };
  };
  let before = read();
  return () => {
    const now = read();
    const elapsedMs = now.atMs - before.atMs;
    const gatewayCores = (now.gatewayMs - before.gatewayMs) / elapsedMs;
    const elsewhereCores = Math.max(0, (now.elsewhereMs - before.elsewhereMs) / elapsedMs);
    before = now;
    return { gatewayCores, elsewhereCores };
  };
}

/**
 * Waits until as many reservations are forgotten as are made, and memory is the same for a while.
 * Resolves with the seconds it took, or with `null` when the memory had not settled by the end of the time it had. */
async function settle(
  sample: () => Promise<SoakSample>,
  { settleSeconds, sampleSeconds, withFaults }: SoakOptions,
  say: (line: string) => void,
): Promise<number | null> {
  const perWindow = Math.max(1, Math.round(Math.min(settlingWindowSeconds, settleSeconds / 4) / sampleSeconds));
  const leastSeconds = withFaults ? Math.max(rememberedSeconds, 2 * roundSeconds) : rememberedSeconds;
  const rss: number[] = [];
  let isFull = false;
  while (rss.length * sampleSeconds < settleSeconds) {
    const { rssMib, atSeconds } = await sample();
    rss.push(rssMib);
    if (atSeconds < leastSeconds) continue;
    if (!isFull)
      say(`as many reservations are forgotten as are made; from here on nothing that is kept grows by itself`);
    isFull = true;
    if (!hasSettled(rss, perWindow)) continue;
    say(`memory has settled after ${atSeconds.toFixed(0)} s; what follows is measured`);
    return atSeconds;
  }
  const why = isFull
    ? ''
    : `: reservations are remembered for ${rememberedSeconds} s, and their number grows until then`;
  say(`memory has not settled${why}; what follows is measured all the same`);
  return null;
}

interface Swaps {
  /** How many of those that `run` was told to make are in force. */
  readonly inForce: number;
  /** Changes that do not count, one after the other. @param gapMs from the beginning of one to that of the next, at least */
  rehearse(count: number, gapMs: number): Promise<void>;
  /** @param forMs over which the changes are spread */
  run(count: number, afterMs: number, forMs: number): { readonly failed: Promise<never> };
}

/** Changes of the upstream's schema, each waited for until it is in force at the gateway. */
function createSwaps(upstream: Child, gateway: Child): Swaps {
  let inForce = 0;
  let rehearsed = 0;
  const swapTo = async (name: string): Promise<void> => {
    await upstream.ask({ kind: 'add-field', name });
    const deadline = performance.now() + swapDeadlineMs;
    while (!(await fieldsOfEpoch(gateway.url)).includes(name)) {
      if (performance.now() > deadline) fail(`the schema with ${name} was not in force within ${swapDeadlineMs} ms`);
      await pause(50);
    }
  };
  return {
    get inForce() {
      return inForce;
    },
    async rehearse(count, gapMs) {
      for (let number = 0; number < count; number += 1) {
        rehearsed += 1;
        await Promise.all([swapTo(`rehearsal${rehearsed}`), pause(gapMs)]);
      }
    },
    run(count, afterMs, forMs) {
      const all = async () => {
        const beginsAt = performance.now() + afterMs;
        for (let number = 1; number <= count; number += 1) {
          const dueAt = beginsAt + ((number - 1) * forMs) / count;
          await pause(Math.max(0, dueAt - performance.now()));
          await swapTo(`generation${number}`);
          inForce = number;
        }
      };
      return { failed: new Promise((_resolve, reject) => void all().catch(reject)) };
    },
  };
}

async function fieldsOfEpoch(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ __type(name: "Epoch") { fields { name } } }' }),
  });
  const { data } = (await response.json()) as { data: { __type: { fields: { name: string }[] } } };
  return data.__type.fields.map(({ name }) => name);
}

function fail(message: string): never {
  throw new Error(message);
}
