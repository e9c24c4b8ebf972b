import fc from 'fast-check';
import { expect } from 'vitest';
import type { SponsorshipStore } from '../../src/sponsor/store/decide.ts';
import type { GasAllowance } from '../../src/sponsor/store/sponsorship-store.ts';
import { dayOf } from '../../src/sponsor/store/sponsorship-store.ts';
import { allowanceOf, holdOf, noon, type TestBudget } from './sponsorship-flow.ts';

/** A random action of callers or of the environment. Its meaning depends on earlier results. */
export interface SponsorshipStep {
  readonly advanceMs: number;
  readonly kind: 'reserve' | 'end reservation' | 'execute' | 'end execution' | 'look';
  /** Which lease; the last one is the sponsor's own number. */
  readonly slot: number;
  readonly key: number | null;
  readonly body: number;
  readonly amount: number;
  readonly outcome: number;
  /** Number of concurrent calls. */
  readonly copies: number;
}

const slots = 4;
const foreignSlot = slots - 1;
const minute = 60_000;

export const arbitrarySteps = fc.array(
  fc.record<SponsorshipStep>({
    advanceMs: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(0, 1, 10_000) },
      { weight: 2, arbitrary: fc.constantFrom(minute, 6 * minute, 20 * minute) },
      { weight: 1, arbitrary: fc.constantFrom(11 * 60 * minute, 24 * 60 * minute) },
    ),
    kind: fc.constantFrom('reserve', 'end reservation', 'execute', 'execute', 'end execution', 'look'),
    slot: fc.nat(foreignSlot),
    key: fc.option(fc.nat(1)),
    body: fc.nat(1),
    amount: fc.integer({ min: 0, max: 60 }),
    outcome: fc.nat(3),
    copies: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 10, maxLength: 40 },
);

/** What a hold must be, derived from its history alone, as plainly as possible. */
interface Hold {
  readonly gas: TestBudget;
  readonly amount: number;
  readonly day: number;
  readonly expiresAtMs: number;
  state: 'open' | 'sent' | 'over';
  used: number;
}

interface Slot {
  leaseId: string;
  expiresAtMs: number;
  attempt: string;
  reserving: 'asked' | 'ended';
  executing: 'none' | 'sent' | 'unsure' | 'done';
}

/** One store, and the steps taken on it. */
export interface SponsorshipWorld {
  /** Instances with one memory: concurrent steps run in turn on each. */
  readonly stores: readonly SponsorshipStore[];
  readonly caller: string;
  readonly budgets: readonly TestBudget[];
  readonly slots: Slot[];
  readonly holds: Map<string, Hold>;
  nowMs: number;
}

export function newWorld(stores: readonly SponsorshipStore[], name: string): SponsorshipWorld {
  return {
    stores,
    caller: `caller ${name}`,
    budgets: [
      { key: `first ${name}`, perDay: 100 },
      { key: `second ${name}`, perDay: 130 },
    ],
    slots: Array.from({ length: slots }, (_, slot) => ({
      leaseId: slot === foreignSlot ? '4711' : 'none yet',
      expiresAtMs: 0,
      attempt: '',
      reserving: 'ended',
      executing: 'none',
    })),
    holds: new Map(),
    nowMs: noon,
  };
}

/**
 * Takes a step, and checks that the budgets are right.
 * @returns the results, sorted, because the order of concurrent steps is undefined
 */
export async function takeStep(world: SponsorshipWorld, step: SponsorshipStep, index: number): Promise<string[]> {
  world.nowMs += step.advanceMs;
  const copies = Array.from({ length: step.copies }, (_, copy) => copy);
  const answers = await Promise.all(copies.map((copy) => takeOnce(world, step, `${index}.${copy}`, copy)));
  const allowances = await Promise.all(
    world.budgets.map((gas) => allowanceOf(world.stores[0] as SponsorshipStore, gas, world.nowMs)),
  );
  expect(allowances).toEqual(world.budgets.map((gas) => allowanceByStory(world, gas)));
  return [...answers, ...allowances].map((answer) => JSON.stringify(answer, withSortedKeys)).sort();
}

/** Redis and memory may order the members of an object differently. */
function withSortedKeys(_key: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : value;
}

function takeOnce(world: SponsorshipWorld, step: SponsorshipStep, id: string, copy: number): Promise<unknown> {
  const { stores, caller, nowMs } = world;
  const store = stores[copy % stores.length];
  const slot = world.slots[step.slot];
  if (!store || !slot) throw new Error('no such store or slot');
  switch (step.kind) {
    case 'reserve':
      return reserve(world, store, step, id);
    case 'execute':
      return execute(world, store, step, id);
    case 'end reservation':
      return endReservation(world, store, step);
    case 'end execution':
      return endExecution(world, store, step);
    case 'look':
      return Promise.all([
        store.findReservation({ caller, leaseId: slot.leaseId, nowMs }),
        store.findExecution({ caller, leaseId: slot.leaseId, bodyHash: `body ${step.body}`, nowMs }),
      ]);
  }
}

const gasOf = ({ budgets }: SponsorshipWorld, slot: number) => budgets[slot % budgets.length] as TestBudget;

async function reserve(world: SponsorshipWorld, store: SponsorshipStore, step: SponsorshipStep, id: string) {
  const { caller, nowMs } = world;
  if (step.slot === foreignSlot) return null;
  const gas = gasOf(world, step.slot);
  const expiresAtMs = nowMs + (step.slot + 1) * 30_000;
  const start = await store.beginReservation({
    caller,
    leaseId: `lease ${id}`,
    expiresAtMs,
    sender: null,
    holds: [holdOf(gas, step.amount, nowMs)],
    idempotency: step.key === null ? null : { key: `key ${step.key}`, bodyHash: `body ${step.body}` },
    answerByMs: nowMs + 15_000,
    nowMs,
  });
  if (start.kind === 'begun') {
    const lease = { leaseId: `lease ${id}`, expiresAtMs, attempt: '', reserving: 'asked', executing: 'none' } as const;
    world.slots[step.slot] = { ...lease };
    const hold = { gas, amount: step.amount, day: dayOf(nowMs), expiresAtMs, state: 'open', used: 0 } as const;
    world.holds.set(lease.leaseId, { ...hold });
  }
  return start;
}

async function endReservation(world: SponsorshipWorld, store: SponsorshipStore, step: SponsorshipStep) {
  const { caller, nowMs } = world;
  const slot = world.slots[step.slot] as Slot;
  const kind = (['reserved', 'reserved', 'refused', 'lost'] as const)[step.outcome] ?? 'lost';
  const hold = world.holds.get(slot.leaseId);
  if (kind === 'refused' && slot.reserving === 'asked' && slot.executing === 'none' && hold) hold.state = 'over';
  if (kind !== 'refused' || slot.executing === 'none') slot.reserving = 'ended';
  const outcome = kind === 'reserved' ? { kind, answer: `coins of ${step.slot}` } : { kind };
  return store.endReservation({ caller, leaseId: slot.leaseId, nowMs, outcome });
}

async function execute(world: SponsorshipWorld, store: SponsorshipStore, step: SponsorshipStep, id: string) {
  const { caller, nowMs } = world;
  const slot = world.slots[step.slot] as Slot;
  const isForeign = step.slot === foreignSlot;
  const bodyHash = `body ${step.body}`;
  const expiresAtMs = isForeign ? nowMs + minute : slot.expiresAtMs;
  const start = await store.beginExecution({
    caller,
    leaseId: slot.leaseId,
    digest: `digest ${step.body}`,
    expiresAtMs,
    mustBeKnown: !isForeign,
    amount: step.amount,
    sender: null,
    senderHolds: [],
    idempotency: step.key === null ? null : { key: `key ${step.key}`, bodyHash: `${bodyHash} of ${slot.leaseId}` },
    bodyHash,
    attempt: `attempt ${id}`,
    answerByMs: nowMs + 30_000,
    budget: step.amount,
    requestId: id,
    needsReservation: false,
    nowMs,
  });
  if (start.kind === 'begun') {
    Object.assign(slot, { attempt: `attempt ${id}`, executing: 'sent' });
    const hold = world.holds.get(slot.leaseId);
    if (hold) hold.state = 'sent';
  }
  return 'digest' in start ? { ...start, slot: step.slot } : start;
}

async function endExecution(world: SponsorshipWorld, store: SponsorshipStore, step: SponsorshipStep) {
  const { caller, nowMs } = world;
  const slot = world.slots[step.slot] as Slot;
  const found = await store.findExecution({ caller, leaseId: slot.leaseId, bodyHash: 'nobody’s', nowMs });
  const digest = found && 'digest' in found ? found.digest : '';
  const kind = (['executed', 'refused', 'unknown', 'not-sent'] as const)[step.outcome] ?? 'unknown';
  const hold = world.holds.get(slot.leaseId);
  const isOpen = found !== null && (slot.executing === 'sent' || slot.executing === 'unsure');
  if (isOpen)
    slot.executing = ({ unknown: 'unsure', 'not-sent': 'none', executed: 'done', refused: 'done' } as const)[kind];
  if (hold && isOpen && kind !== 'unknown') {
    hold.used = kind === 'executed' ? Math.min(step.amount, hold.amount) : 0;
    hold.state = kind === 'not-sent' ? 'open' : 'over';
  }
  const outcome =
    kind === 'executed'
      ? { kind, gasUsed: step.amount }
      : kind === 'not-sent'
        ? { kind, attempt: slot.attempt }
        : { kind };
  const answer = step.body === 0 ? `effects of ${step.slot}` : null;
  return store.endExecution({ caller, leaseId: slot.leaseId, digest, nowMs, answer, outcome });
}

function allowanceByStory({ holds, nowMs }: SponsorshipWorld, gas: TestBudget): GasAllowance {
  const today = [...holds.values()].filter((hold) => hold.gas === gas && hold.day === dayOf(nowMs));
  const isHeld = ({ state, expiresAtMs }: Hold) => state === 'sent' || (state === 'open' && nowMs < expiresAtMs);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const held = sum(today.filter(isHeld).map(({ amount }) => amount));
  const settled = sum(today.map(({ used }) => used));
  const resetsAtMs = (dayOf(nowMs) + 1) * 24 * 60 * minute;
  return { limit: gas.perDay, held, settled, free: gas.perDay - held - settled, resetsAtMs };
}
