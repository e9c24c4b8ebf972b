import {
  allowanceOf,
  cancelHoldExpiry,
  createGasAccounts,
  openHold,
  releaseHold,
  resumeHoldExpiry,
} from './gas-accounts.ts';
import { createMemoryRecords, type Lease } from './memory-records.ts';
import type {
  BeginExecution,
  BeginReservation,
  ClaimOverdue,
  EndExecution,
  EndReservation,
  ExecutionFound,
  ExecutionStart,
  ExecutionTwin,
  KeptReservation,
  OverdueExecution,
  ReservationStart,
  SponsorshipStore,
} from './sponsorship-store.ts';
import {
  defaultStoreBounds,
  keyIdOf,
  lingerMs,
  maxKeysPerExecution,
  ownLookupMs,
  type StoreBounds,
  unresolvedLifeMs,
} from './sponsorship-store.ts';

/** A store in the memory of this process. The Lua scripts of the Redis store decide the same: change both together. */
export function createMemoryStore(bounds: StoreBounds = defaultStoreBounds): SponsorshipStore {
  const accounts = createGasAccounts();
  const records = createMemoryRecords(bounds);

  function beginReservation(begin: BeginReservation): ReservationStart {
    const { caller, leaseId, amount, expiresAtMs, gas, idempotency, answerByMs, nowMs } = begin;
    const keyId = idempotency && keyIdOf('reserve', caller, idempotency.key);
    const known = keyId === null ? undefined : records.key(keyId, nowMs);
    if (known) {
      if (known.bodyHash !== idempotency?.bodyHash) return { kind: 'conflict' };
      if (known.answer !== null) return { kind: 'replay', answer: known.answer };
      if (!known.isLost && nowMs < known.answerByMs) return { kind: 'in-progress', answerByMs: known.answerByMs };
      if (nowMs < known.untilMs) return { kind: 'lost', untilMs: known.untilMs };
      records.forgetKey(known);
    }
    if (records.lease(caller, leaseId, nowMs)) return { kind: 'begun' };
    if (records.isFull(caller, nowMs)) return { kind: 'full' };
    const account = gas && accounts.of(gas.key, nowMs);
    const allowance = account && allowanceOf(account, gas);
    if (allowance && allowance.free < amount) return { kind: 'over-budget', allowance };
    const hold = account && openHold(account, amount, expiresAtMs);
    const lease = records.addLease({ caller, leaseId, expiresAtMs, hold, reserving: 'asked' }, nowMs);
    if (idempotency && keyId !== null) {
      const { bodyHash } = idempotency;
      lease.reservationKey = records.addKey({ caller, id: keyId, bodyHash, answerByMs, untilMs: expiresAtMs }, nowMs);
    }
    return { kind: 'begun' };
  }

  function endReservation({ caller, leaseId, nowMs, outcome }: EndReservation): void {
    const lease = records.lease(caller, leaseId, nowMs);
    if (lease?.reserving !== 'asked') return;
    const key = lease.reservationKey;
    if (outcome.kind === 'lost') {
      lease.reserving = 'lost';
      if (key) key.isLost = true;
    } else if (outcome.kind === 'reserved') {
      lease.reserving = 'reserved';
      if (outcome.knownAs !== undefined) records.renameLease(lease, outcome.knownAs);
      if (key) records.answerKey(key, outcome.answer);
      else records.answerLease(lease, 'reservationText', outcome.answer, nowMs);
    } else if (lease.executing === 'none') {
      if (lease.hold) releaseHold(lease.hold, 0);
      if (key) records.forgetKey(key);
      records.dropLease(lease);
    }
  }

  function beginExecution(begin: BeginExecution): ExecutionStart {
    const { caller, leaseId, expiresAtMs, idempotency, nowMs } = begin;
    const known = idempotency ? records.key(keyIdOf('execute', caller, idempotency.key), nowMs) : undefined;
    if (known) {
      if (known.bodyHash !== idempotency?.bodyHash) return { kind: 'conflict' };
      if (known.answer !== null) return { kind: 'replay', answer: known.answer };
    }
    let lease = records.lease(caller, leaseId, nowMs);
    if (lease && lease.executing !== 'none') {
      if (lease.executing === 'done' || lease.bodyHash !== begin.bodyHash) return toSpent(lease);
      if (!known && lease.executionKeys.length < maxKeysPerExecution) addExecutionKey(lease, begin);
      return { kind: 'in-progress', digest: lease.digest, answerByMs: lease.answerByMs };
    }
    if (!lease && begin.mustBeKnown) return { kind: nowMs < expiresAtMs ? 'unknown' : 'expired' };
    if (nowMs >= (lease?.expiresAtMs ?? expiresAtMs)) return { kind: 'expired' };
    if (!lease) {
      if (records.isFull(caller, nowMs)) return { kind: 'full' };
      lease = records.addLease({ caller, leaseId, expiresAtMs, hold: null, reserving: 'foreign' }, nowMs);
    }
    setFence(lease, begin);
    if (known) records.forgetKey(known);
    addExecutionKey(lease, begin);
    const reservation = begin.needsReservation ? reservationAnswer(lease, nowMs) : null;
    return reservation === null ? { kind: 'begun' } : { kind: 'begun', reservation };
  }

  function setFence(lease: Lease, begin: BeginExecution): void {
    const { digest, bodyHash, attempt, answerByMs, amount, budget, requestId, nowMs } = begin;
    Object.assign(lease, { digest, bodyHash, attempt, answerByMs, amount, budget, requestId });
    lease.executing = 'sent';
    lease.executionKeys = [];
    records.scheduleLookupAt(lease, answerByMs);
    if (lease.hold) cancelHoldExpiry(lease.hold);
    records.dropLeaseAt(lease, nowMs + unresolvedLifeMs);
  }

  function addExecutionKey(
    lease: Lease,
    { caller, idempotency, answerByMs, expiresAtMs, nowMs }: BeginExecution,
  ): void {
    if (!idempotency) return;
    const id = keyIdOf('execute', caller, idempotency.key);
    const facts = { caller, id, bodyHash: idempotency.bodyHash, answerByMs, untilMs: expiresAtMs };
    lease.executionKeys.push(records.addKey(facts, nowMs));
  }

  function findExecution({ caller, leaseId, bodyHash, nowMs }: ExecutionTwin): ExecutionFound | null {
    const lease = records.lease(caller, leaseId, nowMs);
    if (!lease || lease.executing === 'none') return null;
    const { digest, answerByMs, executionKeys: keys, executionText } = lease;
    if (lease.bodyHash !== bodyHash) return toSpent(lease);
    if (lease.executing !== 'done') return { kind: 'in-progress', digest, answerByMs };
    const answers = keys.length === 0 ? [executionText] : keys.map((key) => records.answerOf(key, nowMs));
    const answer = answers.find((each) => each !== null);
    return answer ? { kind: 'replay', answer } : toSpent(lease);
  }

  function endExecution({ caller, leaseId, digest, nowMs, answer, outcome }: EndExecution): boolean {
    const lease = records.lease(caller, leaseId, nowMs);
    if (lease?.isRefused && lease.digest !== digest && outcome.kind === 'executed') {
      lease.isRefused = false;
      lease.digest = digest;
      return true;
    }
    if (!lease || lease.digest !== digest || (lease.executing !== 'sent' && lease.executing !== 'unsure')) return false;
    if ('attempt' in outcome && outcome.attempt !== undefined && outcome.attempt !== lease.attempt) return false;
    if (outcome.kind === 'unknown') {
      lease.executing = 'unsure';
      records.scheduleLookupAt(lease, nowMs + ownLookupMs);
      return true;
    }
    records.cancelLookup(lease);
    const { isSpentElsewhere = false, isOfNobody = false } = outcome.kind === 'refused' ? outcome : {};
    if (outcome.kind === 'not-sent' || (isOfNobody && lease.reserving === 'foreign')) {
      removeFence(lease);
      return true;
    }
    lease.executing = 'done';
    lease.isRefused = outcome.kind === 'refused' && !isSpentElsewhere;
    if (isSpentElsewhere) lease.digest = '';
    if (lease.hold) releaseHold(lease.hold, outcome.kind === 'executed' ? outcome.gasUsed : 0);
    if (answer !== null) {
      for (const key of lease.executionKeys) records.answerKey(key, answer);
      if (lease.executionKeys.length === 0) records.answerLease(lease, 'executionText', answer, nowMs);
    }
    records.dropLeaseAt(lease, Math.max(lease.expiresAtMs, nowMs) + lingerMs);
    return true;
  }

  /** Undo the begin of the execution. */
  function removeFence(lease: Lease): void {
    lease.executing = 'none';
    for (const key of lease.executionKeys) records.forgetKey(key);
    if (lease.hold) resumeHoldExpiry(lease.hold, lease.expiresAtMs);
    if (lease.reserving === 'foreign') records.dropLease(lease);
    else records.dropLeaseAt(lease, lease.expiresAtMs + lingerMs);
  }

  function claimOverdue({ most, nowMs }: ClaimOverdue): readonly OverdueExecution[] {
    return records.takeOverdue(most, nowMs).map((lease) => {
      const { caller, leaseId, digest, amount, budget, requestId } = lease;
      return { caller, leaseId, digest, amount, budget, requestId };
    });
  }

  function reservationAnswer({ reservationKey, reservationText }: Lease, nowMs: number): string | null {
    return reservationKey ? records.answerOf(reservationKey, nowMs) : reservationText;
  }

  function findReservation(caller: string, leaseId: string, nowMs: number): KeptReservation | null {
    const lease = records.lease(caller, leaseId, nowMs);
    const answer = lease ? reservationAnswer(lease, nowMs) : null;
    if (!lease || answer === null) return null;
    return { answer, state: lease.executing === 'none' ? 'active' : 'consumed' };
  }

  /** Each step first drops some expired records. */
  async function step<Result>(nowMs: number, take: () => Result): Promise<Result> {
    records.sweep(nowMs);
    return take();
  }

  return {
    beginReservation: (begin) => step(begin.nowMs, () => beginReservation(begin)),
    endReservation: (end) => step(end.nowMs, () => endReservation(end)),
    beginExecution: (begin) => step(begin.nowMs, () => beginExecution(begin)),
    findExecution: (twin) => step(twin.nowMs, () => findExecution(twin)),
    endExecution: (end) => step(end.nowMs, () => endExecution(end)),
    claimOverdue: (claim) => step(claim.nowMs, () => claimOverdue(claim)),
    findReservation: (caller, leaseId, nowMs) => step(nowMs, () => findReservation(caller, leaseId, nowMs)),
    gasAllowance: (gas, nowMs) => step(nowMs, () => allowanceOf(accounts.of(gas.key, nowMs), gas)),
    close: () => {},
  };
}

function toSpent({ isRefused, digest }: Lease): Extract<ExecutionFound, { kind: 'spent' | 'refused' }> {
  return { kind: isRefused ? 'refused' : 'spent', digest };
}
