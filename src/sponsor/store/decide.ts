import { type Change, Draft, type Records } from './draft.ts';
import { allowanceOf, cancelHold, findFull, fixHold, holdUntilExpiry, settleHold, toHold, unfixHold } from './holds.ts';
import {
  addKey,
  dropLease,
  type ExecutionRecord,
  isFull,
  knownBy,
  type LeaseRecord,
  leaseOf,
  leasesOf,
  nameFor,
  nameOf,
  readKeptText,
  saveLease,
  takeKeyFrom,
  toKeptText,
} from './lease-records.ts';
import { findSpending, noteSpending, toSpendingHold } from './spending.ts';
import {
  type BeginExecution,
  type BeginReservation,
  type ClaimOverdue,
  type EndExecution,
  type EndReservation,
  type ExecutionFound,
  type ExecutionStart,
  type ExecutionTwin,
  type GasAllowance,
  type HoldRequest,
  type KeptReservation,
  keyIdOf,
  lingerMs,
  maxKeysPerExecution,
  minClaimPauseMs,
  type OverdueExecution,
  ownLookupMs,
  type ReservationStart,
  type StoreBounds,
  unresolvedLifeMs,
} from './sponsorship-store.ts';

// Every rule of reservations, executions, keys, budgets and bounds. A store reads the records that a step needs, and commits its
// changes if the records are unchanged; otherwise the step is decided again.

export interface Decision<Answer> {
  readonly answer: Answer;
  readonly changes: readonly Change[];
  /** More had expired than one step drops: commit the changes, and decide again. */
  readonly isPartial: boolean;
}

/** The rules, by step. */
const rules = {
  beginReservation,
  endReservation,
  beginExecution,
  findExecution,
  endExecution,
  claimOverdue,
  findReservation,
  gasAllowance,
  findSpending,
};

export type StepKind = keyof typeof rules;
export type StepOf<Kind extends StepKind> = Parameters<(typeof rules)[Kind]>[1];
type AnswerTo<Kind extends StepKind> = ReturnType<(typeof rules)[Kind]>;

/**
 * Dispatched leases, answers under idempotency keys and gas budgets, shared by all processes of a gateway. Each method is one atomic
 * step. It rejects with `StoreUnavailableError` only, within a limited time; then the step may have happened, unless the error says
 * otherwise. All times are milliseconds since the Unix epoch, by the clock of the calling process.
 */
export interface SponsorshipStore extends StoreSteps {
  /** Waits for pending writes, for a limited time. */
  readonly close: () => void | Promise<void>;
}

export type StoreSteps = { readonly [Kind in StepKind]: (step: StepOf<Kind>) => Promise<AnswerTo<Kind>> };

/** @param take decides a step, and commits its changes */
export function toStore(
  take: <Kind extends StepKind>(kind: Kind, step: StepOf<Kind>) => Promise<unknown>,
  close: SponsorshipStore['close'],
): SponsorshipStore {
  const kinds = Object.keys(rules) as StepKind[];
  const steps = kinds.map((kind) => [kind, (step: StepOf<typeof kind>) => take(kind, step)]);
  return { ...Object.fromEntries(steps), close };
}

/** Steps that change nothing. */
const reads: ReadonlySet<StepKind> = new Set(['findExecution', 'findReservation', 'gasAllowance', 'findSpending']);

/** What a step answers, and what it changes. Pure. */
export function decide<Kind extends StepKind>(
  records: Records,
  kind: Kind,
  step: StepOf<Kind>,
  bounds: StoreBounds,
): Decision<AnswerTo<Kind>> {
  const draft = new Draft(records, step.nowMs, bounds);
  const rule = rules[kind] as (draft: Draft, step: StepOf<Kind>) => AnswerTo<Kind>;
  const answer = rule(draft, step);
  const { isPartial } = draft;
  return { answer, changes: reads.has(kind) && !isPartial ? [] : draft.changes(), isPartial };
}

// Reservations ---------------------------------------------------------------------------------

function beginReservation(draft: Draft, begin: BeginReservation): ReservationStart {
  const { caller, leaseId, expiresAtMs, sender, idempotency, answerByMs, nowMs } = begin;
  const keyId = idempotency && keyIdOf('reserve', idempotency.visitor ?? caller, idempotency.key);
  const known = knownBy(draft, keyId);
  if (known) {
    const { lease } = known;
    if (known.bodyHash !== idempotency?.bodyHash) return { kind: 'conflict' };
    const answer = readKeptText(draft, lease, 'reservation');
    if (answer !== null) return { kind: 'replay', answer };
    if (lease.reserving === 'asked' && nowMs < lease.answerByMs)
      return { kind: 'in-progress', answerByMs: lease.answerByMs };
    if (nowMs < lease.expiresAtMs) return { kind: 'lost', untilMs: lease.expiresAtMs };
  }
  if (begin.isLookup || leaseOf(draft, caller, leaseId)) return { kind: 'begun' };
  if (isFull(draft, caller)) return { kind: 'full' };
  const denied = findFull(draft, begin.holds);
  const spent = begin.spending ? [toSpendingHold(draft, begin.spending, sender)] : [];
  if (denied) {
    // A partial step is decided again.
    if (!draft.isPartial) noteSpending(draft, spent, { refused: 1 });
    return denied;
  }
  for (const { amount } of spent) noteSpending(draft, spent, { reserved: amount });
  const holds = [...begin.holds.map(toHold), ...spent];
  if (known && keyId !== null) takeKeyFrom(draft, known.lease, keyId);
  const facts = { caller, leaseId, expiresAtMs, sender, reserving: 'asked', answerByMs, holds } as const;
  const lease = newLease(draft, facts);
  for (const hold of holds) holdUntilExpiry(draft, lease, hold);
  const reserveKey = keyId && idempotency ? addKey(draft, lease, keyId, idempotency.bodyHash) : null;
  saveLease(draft, { ...lease, reserveKey });
  return { kind: 'begun' };
}

function newLease(
  { records, nowMs }: Draft,
  facts: Pick<LeaseRecord, 'caller' | 'leaseId' | 'expiresAtMs' | 'sender' | 'reserving' | 'answerByMs' | 'holds'>,
): LeaseRecord {
  const { caller, leaseId, expiresAtMs, sender = null, reserving, answerByMs, holds } = facts;
  return {
    caller,
    leaseId,
    number: null,
    expiresAtMs,
    dropAtMs: expiresAtMs + lingerMs,
    run: records.run,
    reserving,
    askedAtMs: nowMs,
    answerByMs,
    holds,
    sender,
    reserveKey: null,
    reservation: null,
    execution: null,
    executeKeys: [],
    kept: null,
  };
}

function endReservation(draft: Draft, { caller, leaseId, outcome, nowMs }: EndReservation): void {
  const lease = leaseOf(draft, caller, leaseId);
  const name = `lease:${nameFor(caller, leaseId)}`;
  // A begin that arrives only now was decided before there was this record, and is not committed.
  if (outcome.kind === 'refused' && outcome.isUndo && draft.get(name) === null)
    draft.put(name, { dropAtMs: 0 }, nowMs + lingerMs);
  if (lease?.reserving !== 'asked') return;
  if (outcome.kind === 'lost') {
    saveLease(draft, { ...lease, reserving: 'lost' });
  } else if (outcome.kind === 'reserved') {
    const { answer, knownAs = null } = outcome;
    const number = knownAs !== null && takeNumber(draft, lease, knownAs) ? knownAs : null;
    const reservation = toKeptText(draft, answer);
    saveLease(draft, { ...lease, reserving: 'reserved', number, reservation });
  } else if (!lease.execution) {
    for (const hold of lease.holds) {
      cancelHold(draft, lease, hold);
      noteSpending(draft, [hold], { reserved: -hold.amount, refused: outcome.isUndo ? 0 : 1 });
    }
    dropLease(draft, lease);
  }
}

/**
 * May this lease have the sponsor's number? An earlier lease with this number loses it, since a sponsor that was reset assigns its
 * numbers again. But an execution that began after this reservation has spent this very number.
 */
function takeNumber(draft: Draft, lease: LeaseRecord, number: string): boolean {
  const other = leaseOf(draft, lease.caller, number);
  if (other?.reserving === 'foreign' && (other.execution?.nowMs ?? 0) >= lease.askedAtMs) return false;
  if (other?.number === number) saveLease(draft, { ...other, number: null });
  return true;
}

function findReservation(draft: Draft, { caller, leaseId }: FindReservation): KeptReservation | null {
  const lease = leaseOf(draft, caller, leaseId);
  const answer = readKeptText(draft, lease, 'reservation');
  if (!lease || answer === null) return null;
  if (lease.execution) return { answer, state: 'consumed' };
  // What `beginExecution` does not trust does not exist. The sponsor itself knows which of its numbers are spent.
  return lease.run === draft.records.run || lease.number !== null ? { answer, state: 'active' } : null;
}

/** A reservation of this caller, until 5 minutes after its expiry. */
interface FindReservation {
  readonly caller: string;
  readonly leaseId: string;
  readonly nowMs: number;
}

// Budgets --------------------------------------------------------------------------------------

function gasAllowance(draft: Draft, { bounds }: ReadAllowance): GasAllowance | null {
  let least: GasAllowance | null = null;
  for (const bound of bounds) {
    const account = draft.account(bound.account);
    if (account.hasMore) draft.isPartial = true;
    const allowance = allowanceOf(account, bound);
    if (!least || allowance.free <= least.free) least = allowance;
  }
  return least;
}

/** The account of these that has least left. */
interface ReadAllowance {
  readonly bounds: readonly HoldRequest[];
  readonly nowMs: number;
}

// Executions -----------------------------------------------------------------------------------

function beginExecution(draft: Draft, begin: BeginExecution): ExecutionStart {
  const { caller, leaseId, expiresAtMs, idempotency, mustBeKnown, answerByMs, nowMs } = begin;
  const keyId = idempotency && keyIdOf('execute', idempotency.visitor ?? caller, idempotency.key);
  const known = knownBy(draft, keyId);
  if (known) {
    if (known.bodyHash !== idempotency?.bodyHash) return { kind: 'conflict' };
    const answer = readKeptText(draft, known.lease, 'execution');
    if (answer !== null) return { kind: 'replay', answer };
  }
  const found = leaseOf(draft, caller, leaseId);
  if (found?.execution) {
    const { state, bodyHash } = found.execution;
    if (state === 'done' || bodyHash !== begin.bodyHash) return toSpent(found.execution);
    if (keyId !== null && idempotency && !known && found.executeKeys.length < maxKeysPerExecution) {
      const key = addKey(draft, found, keyId, idempotency.bodyHash);
      saveLease(draft, { ...found, executeKeys: [...found.executeKeys, key] });
    }
    return toInProgress(found.execution);
  }
  if (mustBeKnown && (!found || found.run !== draft.records.run))
    return { kind: nowMs < expiresAtMs ? 'unknown' : 'expired' };
  if (nowMs >= (found?.expiresAtMs ?? expiresAtMs)) return { kind: 'expired' };
  if (!found && isFull(draft, caller)) return { kind: 'full' };
  const bound = found?.sender ?? null;
  if (bound !== null && bound !== begin.sender) return { kind: 'other-sender', sender: bound };
  const added = bound === null ? begin.senderHolds : [];
  const denied = findFull(draft, added);
  if (denied) {
    if (!draft.isPartial) noteSpending(draft, found?.holds ?? [], { refused: 1 });
    return denied;
  }
  if (known && keyId !== null) takeKeyFrom(draft, known.lease, keyId);
  const facts = { caller, leaseId, expiresAtMs, sender: null, reserving: 'foreign', answerByMs, holds: [] } as const;
  const lease = found ?? newLease(draft, facts);
  const holds = [...lease.holds, ...added.map(toHold)].map((hold) => fixHold(draft, lease, hold, begin.sender));
  const { digest, bodyHash, attempt, amount, budget, coin = null, requestId } = begin;
  const sent = { digest, bodyHash, attempt, answerByMs, amount, budget, coin, requestId, nowMs };
  const execution = { ...sent, state: 'sent', isRefused: false, lookAtMs: answerByMs, text: null } as const;
  const executeKeys = keyId && idempotency ? [addKey(draft, lease, keyId, idempotency.bodyHash)] : [];
  saveLease(draft, { ...lease, holds, execution, executeKeys, dropAtMs: nowMs + unresolvedLifeMs });
  draft.move('overdue', nameOf(lease), answerByMs);
  const reservation = begin.needsReservation ? readKeptText(draft, lease, 'reservation') : null;
  return reservation === null ? { kind: 'begun' } : { kind: 'begun', reservation };
}

function findExecution(draft: Draft, twin: ExecutionTwin): ExecutionFound | null {
  const { caller, leaseId, bodyHash, idempotency = null } = twin;
  const known = knownBy(draft, idempotency && keyIdOf('execute', idempotency.visitor ?? caller, idempotency.key));
  const replayed =
    known?.bodyHash === idempotency?.bodyHash ? readKeptText(draft, known?.lease ?? null, 'execution') : null;
  if (replayed !== null) return { kind: 'replay', answer: replayed };
  const lease = leaseOf(draft, caller, leaseId);
  const execution = lease?.execution;
  if (!execution) return null;
  if (execution.bodyHash !== bodyHash) return toSpent(execution);
  if (execution.state !== 'done') return toInProgress(execution);
  const answer = readKeptText(draft, lease, 'execution');
  return answer === null ? toSpent(execution) : { kind: 'replay', answer };
}

function endExecution(draft: Draft, { caller, leaseId, digest, nowMs, answer, outcome }: EndExecution): boolean | null {
  // The number of an open execution may have been assigned again.
  const leases = leasesOf(draft, caller, leaseId);
  const lease = leases.find(({ execution }) => execution?.digest === digest) ?? leases[0];
  const execution = lease?.execution;
  if (lease && !execution && outcome.kind === 'not-sent') saveLease(draft, lease); // A late begin finds it changed.
  if (!lease || !execution) return null;
  if (execution.isRefused && execution.digest !== digest && outcome.kind === 'executed') {
    saveLease(draft, { ...lease, execution: { ...execution, digest, isRefused: false } });
    return true;
  }
  if (execution.digest !== digest || execution.state === 'done') return false;
  if ('attempt' in outcome && outcome.attempt !== undefined && outcome.attempt !== execution.attempt) return false;
  const name = nameOf(lease);
  if (outcome.kind === 'unknown') {
    const lookAtMs = nowMs + ownLookupMs;
    draft.move('overdue', name, lookAtMs);
    saveLease(draft, { ...lease, execution: { ...execution, state: 'unsure', lookAtMs } });
    return true;
  }
  draft.move('overdue', name, null);
  const { isSpentElsewhere = false, isOfNobody = false } = outcome.kind === 'refused' ? outcome : {};
  if (outcome.kind === 'not-sent' || (isOfNobody && lease.reserving === 'foreign')) {
    removeFence(draft, lease);
    return true;
  }
  const gasUsed = outcome.kind === 'executed' ? outcome.gasUsed : null;
  for (const hold of lease.holds) settleHold(draft, lease, hold, gasUsed);
  const end = outcome.kind === 'refused' ? 'refused' : outcome.hasFailed ? 'failed' : 'executed';
  noteSpending(draft, lease.holds, { [end]: 1 });
  const isRefused = outcome.kind === 'refused' && !isSpentElsewhere;
  const text = answer === null ? null : toKeptText(draft, answer);
  const done = { ...execution, state: 'done', isRefused, text, digest: isSpentElsewhere ? '' : digest } as const;
  saveLease(draft, { ...lease, execution: done, dropAtMs: Math.max(lease.expiresAtMs, nowMs) + lingerMs });
  return true;
}

/** Undo the begin of the execution. */
function removeFence(draft: Draft, lease: LeaseRecord): void {
  const { executeKeys, expiresAtMs } = lease;
  for (const { id } of executeKeys) draft.delete(`key:${id}`);
  const holds = lease.holds.flatMap((hold) => unfixHold(draft, lease, hold) ?? []);
  const undone = { ...lease, holds, executeKeys: [], execution: null };
  if (lease.reserving === 'foreign') dropLease(draft, undone);
  else saveLease(draft, { ...undone, dropAtMs: expiresAtMs + lingerMs });
}

function claimOverdue(draft: Draft, { most, nowMs }: ClaimOverdue): readonly OverdueExecution[] {
  const claimed: OverdueExecution[] = [];
  const due = draft.records.first('overdue').filter(({ score }) => score <= nowMs);
  for (const { member } of due.slice(0, most)) {
    const lease = draft.get<LeaseRecord>(`lease:${member}`);
    if (!lease?.execution || lease.execution.state === 'done' || lease.dropAtMs <= nowMs) {
      draft.move('overdue', member, null);
      continue;
    }
    const { caller, execution } = lease;
    const { digest, bodyHash, amount, budget, coin = null, requestId, answerByMs } = execution;
    const lookAtMs = nowMs + Math.max(minClaimPauseMs, (nowMs - answerByMs) / 2);
    draft.move('overdue', member, lookAtMs);
    // Of two processes that claim it at once, one finds the lease changed.
    saveLease(draft, { ...lease, execution: { ...execution, lookAtMs } });
    claimed.push({
      caller,
      leaseId: lease.number ?? lease.leaseId,
      ...{ digest, bodyHash, amount, budget, coin, requestId },
      sentAtMs: execution.nowMs,
    });
  }
  return claimed;
}

function toSpent({ isRefused, digest }: ExecutionRecord): Extract<ExecutionFound, { kind: 'spent' | 'refused' }> {
  return { kind: isRefused ? 'refused' : 'spent', digest };
}

function toInProgress({ digest, answerByMs }: ExecutionRecord): Extract<ExecutionFound, { kind: 'in-progress' }> {
  return { kind: 'in-progress', digest, answerByMs };
}
