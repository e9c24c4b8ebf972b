import { lingerMs } from '../../src/sponsor/store/sponsorship-store.ts';
import type { Gas, HostileReservation } from './hostile-sponsor.ts';
import {
  type AskedExecution,
  allowanceQuery,
  executeMutation,
  type HeldLease,
  reservationQuery,
  type SponsorshipHistory,
  toTransaction,
} from './sponsorship-history.ts';
import { type Answered, type CallerName, callerNames, callers, type SponsorshipWorld } from './sponsorship-world.ts';

/** Codes that guarantee that nothing was sent. */
const nothingSent = new Set([
  'BAD_USER_INPUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'REQUEST_TIMEOUT',
  'RATE_LIMITED',
  'IDEMPOTENCY_CONFLICT',
]);
/** Codes of the sponsor that guarantee that the transaction did not run and will not run. */
const neverRuns = new Set(['SPONSOR_FORBIDDEN', 'SPONSOR_REJECTED', 'UPSTREAM_BAD_RESPONSE']);

function fail(what: string, ...about: unknown[]): never {
  throw new Error(`${what}: ${JSON.stringify(about)}`);
}

/** The sponsor's number for a lease: the id of its coin. */
const rawIdOf = ({ gasCoins: [coin] }: HeldLease): string => String(BigInt(coin?.objectId ?? 0));

/** The sponsor's time begins when the request arrives, the gateway's when it is sent. */
const apartMs = 1_000;

/** In forward mode, sponsorship continues while the store is unavailable. Then the sponsor's records count. */
const wentOnWithoutStore = (world: SponsorshipWorld, { isDisturbed }: SponsorshipHistory) =>
  world.isForward && (isDisturbed || world.wasStoreAway());

/** Must hold at every moment: no lease is dispatched twice, and no key has two reservations at once. */
export function judgeBooks(world: SponsorshipWorld, history: SponsorshipHistory): void {
  const { sponsor } = world;
  const { reservations, executions, hasForgotten } = history;
  for (const { budget } of reservations) {
    const made = sponsor.reserved.get(budget) ?? [];
    for (const [index, { id, madeAtMs, expiresAtMs }] of made.entries()) {
      const before = made[index - 1];
      if (before && madeAtMs < before.expiresAtMs - apartMs && !hasForgotten)
        fail('reserved twice under one key', made);
      // Before that, the number is one from before a reset of the sponsor.
      const received = (sponsor.received.get(id) ?? []).filter(({ atMs }) => atMs >= madeAtMs);
      // Long after its expiry, a number of the sponsor is forgotten.
      const twice = received.slice(1).filter(({ atMs }) => !world.isForward || atMs < expiresAtMs + lingerMs - apartMs);
      if (twice.length > 0 && !wentOnWithoutStore(world, history)) fail('one lease was dispatched twice', id, received);
    }
  }
  for (const asked of executions) {
    const received = sponsor.received.get(rawIdOf(asked.lease)) ?? [];
    if (!asked.isRight && received.some(({ digest }) => digest === asked.tx.digest))
      fail('sent what could spend more than is counted, or does not fit', asked);
  }
}

/** Was every response true? Call it when nothing is in flight. */
export function judgeAnswers(world: SponsorshipWorld, history: SponsorshipHistory): void {
  for (const asked of history.reservations) judgeReservation(world, history, asked);
  for (const asked of history.executions) if (asked.answer) judgeExecution(world, history, asked, asked.answer);
}

function judgeReservation(
  { sponsor }: SponsorshipWorld,
  { reservations }: SponsorshipHistory,
  asked: SponsorshipHistory['reservations'][number],
): void {
  const { answer, caller, key, budget } = asked;
  if (!answer) return;
  const [error] = answer.errors;
  if (!error) {
    if (!sponsor.reserved.has(budget)) fail('promised coins that were never reserved', asked);
    return;
  }
  const { code } = error.extensions;
  if (code === 'INTERNAL_SERVER_ERROR' || code === 'NEVER_ANSWERED' || code === undefined)
    fail('an answer nobody understands', asked);
  const others = reservations.filter(
    (other) => other.key === key && other.caller === caller && other.budget !== budget,
  );
  if (code === 'IDEMPOTENCY_CONFLICT' && (key === null || others.length === 0)) fail('a conflict with nothing', asked);
  if (code === 'RATE_LIMITED' && callers[caller] === null) fail('over a budget that there is not', asked);
}

function judgeExecution(
  world: SponsorshipWorld,
  history: SponsorshipHistory,
  asked: AskedExecution,
  { data, errors }: Answered,
): void {
  const { tx, lease, leaseText, caller, isRight, key } = asked;
  const onChain = world.sponsor.chain.get(tx.digest);
  const result = data?.executeTx as { digest: string; outcome: string } | null | undefined;
  const isTheirs = caller === lease.owner && leaseText === lease.id;
  if (result) {
    if (!isTheirs || !isRight) fail('executed what may not be', asked);
    if (result.digest !== tx.digest || !onChain) fail('told an execution that is not on the ledger', asked);
    const right = onChain.succeeded ? ['EXECUTED', 'RECOVERED'] : ['FAILED', 'RECOVERED'];
    if (!right.includes(result.outcome)) fail('told another outcome than the ledger’s', asked, onChain);
    return;
  }
  const { message = '', extensions = {} } = errors[0] ?? {};
  const { code, digest, reservationId, checkAfterMs } = extensions;
  const others = history.executions.filter((other) => other !== asked && other.lease === lease);
  // The digest of the caller's own transaction adds no information.
  const tellsNothing = code === 'RESERVATION_NOT_FOUND' || (nothingSent.has(String(code)) && code !== 'BAD_USER_INPUT');
  if (!isTheirs && (!tellsNothing || (digest !== undefined && digest !== tx.digest)))
    fail('told somebody of a lease that is not theirs', asked);
  if (code === 'EXECUTION_OUTCOME_UNKNOWN') {
    // Without the store, a transaction that fails the preflight may have been sent earlier.
    const mayBe = isRight || history.isDisturbed || world.wasStoreAway();
    if (digest !== tx.digest || reservationId !== lease.id || !Number.isInteger(checkAfterMs) || !mayBe)
      fail('an unknown outcome that does not say of what', asked);
  } else if (code === 'RESERVATION_NOT_FOUND') {
    const isKnown = digest === undefined || digest === tx.digest || others.some(({ tx }) => tx.digest === digest);
    if (!isKnown) fail('spent by a transaction that nobody asked for', asked);
    if (digest === undefined && isTheirs && onChain && !history.hasForgotten) fail('an outcome was lost', asked);
    if (/was refused/.test(message) && world.sponsor.chain.has(String(digest)))
      fail('said to be refused, and it ran', asked);
    if (/was used/.test(message) && !wentOnWithoutStore(world, history)) judgeTwin(history, asked);
  } else if (nothingSent.has(String(code))) {
    const conflict = key !== null && history.executions.some((other) => other.key === key && other !== asked);
    if (code === 'IDEMPOTENCY_CONFLICT' && !conflict) fail('a conflict with nothing', asked);
    if (onChain && !others.some((other) => other.tx.digest === tx.digest)) fail('said to be unsent, and it ran', asked);
  } else if (neverRuns.has(String(code))) {
    if (onChain) fail('said to be refused, and it ran', asked);
  } else fail('an answer nobody expects', asked);
}

/** Callers that were told that the lease was used. Twins under one key get the whole result of that key. */
function judgeTwin({ executions, hasForgotten }: SponsorshipHistory, asked: AskedExecution): void {
  const ofLease = executions.filter(({ lease }) => lease === asked.lease);
  const isUnderKey = ({ key, tx }: AskedExecution) => key === asked.key && tx.digest === asked.tx.digest;
  if (asked.key === null || hasForgotten || !ofLease.every(isUnderKey)) return;
  if (ofLease.some(({ answer }) => answer?.data?.executeTx)) fail('a twin was not told the answer', asked);
}

/** A rejected execution must not report a used reservation. Call it when nothing is in flight. */
async function judgeRefusals(world: SponsorshipWorld, history: SponsorshipHistory): Promise<void> {
  if (history.isDisturbed || world.wasStoreAway()) return;
  for (const { answer, caller, lease, leaseText, tx } of history.executions) {
    const isRefused = neverRuns.has(String(answer?.errors[0]?.extensions.code));
    if (!isRefused || caller !== lease.owner || leaseText !== lease.id || !history.leases.includes(lease)) continue;
    const variables = { lease: lease.id, tx: tx.txBytes, sig: tx.userSig, key: null };
    const again = await world.ask(0, lease.owner, executeMutation, variables);
    const { message = '', extensions } = again?.errors[0] ?? {};
    if (/was used/.test(message)) fail('a refusal is said to have used the lease', message, tx);
    const isOver = world.now() + apartMs >= lease.expiresAtMs;
    if (!isOver && (!/was refused/.test(message) || extensions?.digest !== tx.digest))
      fail('a refusal was forgotten', { tx, lease, again });
  }
}

/**
 * An executed transaction is reported to its caller in the end: by a repeat on every instance, whatever the first response
 * said.
 */
export async function judgeRecall(world: SponsorshipWorld, history: SponsorshipHistory): Promise<void> {
  await judgeRefusals(world, history);
  for (const [digest, { reservationId: raw }] of world.sponsor.chain) {
    const asked = history.executions.find(({ tx, isRight }) => tx.digest === digest && isRight);
    if (!asked || rawIdOf(asked.lease) !== raw || !history.leases.includes(asked.lease)) continue;
    const { lease, tx } = asked;
    for (let instance = 0; instance < world.size; instance += 1) {
      const variables = { lease: lease.id, tx: tx.txBytes, sig: tx.userSig, key: null };
      const again = await world.ask(instance, lease.owner, executeMutation, variables);
      if (history.hasForgotten) continue;
      const result = again?.data?.executeTx as { digest: string } | null | undefined;
      const { code, digest: told } = again?.errors[0]?.extensions ?? {};
      if (result?.digest === digest || (code === 'RESERVATION_NOT_FOUND' && told === digest)) continue;
      const seen = await world.ask(instance, lease.owner, reservationQuery, { lease: lease.id });
      const isOver = world.now() >= lease.expiresAtMs;
      const { state } = (seen?.data?.reservation ?? {}) as { state?: string };
      if (!isOver || code !== 'RESERVATION_NOT_FOUND' || state !== 'CONSUMED')
        fail('an outcome was lost', { asked, again, seen, isOver });
    }
  }
}

/** Afterwards the instance sponsors as before. On a busy machine its response may be late, so the ledger decides. */
export async function judgeRecovery(
  world: SponsorshipWorld,
  history: SponsorshipHistory,
  instance: number,
  nextBudget: (around: number) => number,
): Promise<void> {
  const budget = nextBudget(1);
  await history.reserve(instance, 'boundless', budget, 60, null);
  const lease = history.leases.find(({ gasBudget }) => gasBudget === budget);
  if (!lease) return fail('nobody is sponsored any more', history.reservations.at(-1));
  const tx = toTransaction(lease, 'right', 0);
  await history.execute(instance, { caller: lease.owner, lease, leaseText: lease.id, tx, key: null, isRight: true });
  if (!world.sponsor.chain.has(tx.digest)) fail('nothing is executed any more', history.executions.at(-1));
}

interface Allowance {
  readonly limit: number;
  readonly held: number;
  readonly settled: number;
}

/** @returns `null` for a caller without a budget, and while the store is unavailable */
export async function readAllowance(
  world: SponsorshipWorld,
  instance: number,
  caller: CallerName,
): Promise<Allowance | null> {
  const answer = await world.ask(instance, caller, allowanceQuery, {});
  const gas = (answer?.data?.viewer as { gas: Record<string, string | null> | null } | undefined)?.gas;
  if (!gas) return null;
  const [limit, free, held] = [Number(gas.limit), Number(gas.remaining), Number(gas.held)];
  if (limit !== callers[caller] || free < 0 || held < 0 || free + held > limit)
    fail('budgets do not add up', caller, gas);
  return { limit, held, settled: limit - free - held };
}

const costOf = ({ computation, storage, rebate }: Gas, amount: number) =>
  Math.min(amount, Math.max(0, computation + storage - rebate));

/** The gas that a reservation may have used of its caller's budget, once it has expired and nothing is in flight. */
function usedBy(
  { sponsor }: SponsorshipWorld,
  { executions }: SponsorshipHistory,
  { id, budget }: HostileReservation,
): readonly [least: number, most: number] {
  const own = executions.filter(({ lease, isRight }) => rawIdOf(lease) === id && isRight);
  const digest = sponsor.received.get(id)?.[0]?.digest;
  // Fenced but never sent: the instance stopped, the time ran out, or the store responded too late.
  if (digest === undefined) return [0, own.length === 0 ? 0 : budget];
  const onChain = sponsor.chain.get(digest);
  if (!onChain) return [0, budget];
  // Other instances look for it, whether or not a caller got a response.
  const cost = costOf(onChain.gas, budget);
  return [cost, cost];
}

/**
 * Every executed transaction was charged once to its caller, and the rest was released. Call it after all leases have
 * expired.
 */
export async function judgeAllowances(world: SponsorshipWorld, history: SponsorshipHistory): Promise<void> {
  // A caller with a sponsor credential of its own has no budget here.
  if (history.hasForgotten || world.isForward) return;
  for (const caller of callerNames) {
    if (callers[caller] === null) continue;
    const budgets = new Set(
      history.reservations.filter((asked) => asked.caller === caller).map(({ budget }) => budget),
    );
    const made = [...budgets].flatMap((budget) => world.sponsor.reserved.get(budget) ?? []);
    const used = made.map((reservation) => usedBy(world, history, reservation));
    const least = used.reduce((sum, [low]) => sum + low, 0);
    const most = used.reduce((sum, [, high]) => sum + high, 0);
    for (let instance = 0; instance < world.size; instance += 1) {
      const allowance = await readAllowance(world, instance, caller);
      if (!allowance) fail('a budget is not told', caller, instance, world.log().slice(-6));
      const total = allowance.held + allowance.settled;
      if (total < least || total > most) fail('budgets do not conserve', { caller, allowance, least, most, used });
    }
  }
}

const certainEnds = ['executed', 'failed', 'recovered', 'refused'];

/** The audit log is true and contains everything that was sent. */
export function judgeAudit(world: SponsorshipWorld, history: SponsorshipHistory): void {
  const lines = world.log().filter(({ msg }) => msg === 'sponsorship');
  const received = new Set([...world.sponsor.received.values()].flat().map(({ digest }) => digest));
  for (const digest of new Set(history.executions.map(({ tx }) => tx.digest))) {
    const events = lines.filter((line) => line.digest === digest).map(({ event }) => String(event));
    const onChain = world.sponsor.chain.get(digest);
    const untrue = onChain
      ? ['refused', onChain.succeeded ? 'failed' : 'executed']
      : ['executed', 'failed', 'recovered'];
    const ends = events.filter((event) => certainEnds.includes(event));
    // One that was sent again after it was forgotten: that call was rejected.
    const isTwice = world.isForward && events.filter((event) => event === 'dispatched').length > 1;
    if (ends.some((event) => untrue.includes(event) && !(isTwice && event === 'refused')))
      fail('the audit is not true', digest, events, onChain);
    if (!received.has(digest)) continue;
    if (!events.includes('dispatched')) fail('the audit does not know of what was sent', digest, events);
    if (ends.length === 0 && !events.includes('unknown') && !history.isDisturbed)
      fail('the audit does not tell how it ended', digest, events);
  }
}
