import { allowanceOf, createGasAccounts, fixHold, openHold, releaseHold, unfixHold } from './gas-accounts.ts';
import { keyIdOf } from './key-id.ts';
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
  lingerMs,
  maxKeysPerExecution,
  minClaimPauseMs,
  ownLookMs,
  type StoreBounds,
  unresolvedLifeMs,
} from './store-bounds.ts';

/**
 * Remembers in this process alone. The scripts of the Redis store take the same decisions in the same order: whoever changes
 * one changes both.
 */
export function createMemoryStore(bounds: StoreBounds = defaultStoreBounds): SponsorshipStore {
  const accounts = createGasAccounts();
  const records = createMemoryRecords(bounds);

  function beginReservation(begin: BeginReservation): ReservationStart {
    const { caller, leaseId, amount, expiresAtMs, gas, idempotency, answerByMs, nowMs } = begin;
    records.sweep(nowMs);
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
    if (gas && account && allowanceOf(account, gas).free < amount) {
      return { kind: 'over-budget', allowance: allowanceOf(account, gas) };
    }
    const hold = account && openHold(account, amount, expiresAtMs);
    const lease = records.addLease({ caller, leaseId, expiresAtMs, hold, reserving: 'asked' }, nowMs);
    if (idempotency && keyId !== null) {
      const { bodyHash } = idempotency;
      lease.reservationKey = records.addKey(caller, { id: keyId, bodyHash, answerByMs, untilMs: expiresAtMs }, nowMs);
    }
    return { kind: 'begun' };
  }

  function endReservation({ caller, leaseId, nowMs, outcome }: EndReservation): void {
    records.sweep(nowMs);
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
    const { caller, leaseId, expiresAtMs, gas, idempotency, nowMs } = begin;
    records.sweep(nowMs);
    const keyId = idempotency && keyIdOf('execute', caller, idempotency.key);
    const known = keyId === null ? undefined : records.key(keyId, nowMs);
    if (known) {
      if (known.bodyHash !== idempotency?.bodyHash) return { kind: 'conflict' };
      if (known.answer !== null) return { kind: 'replay', answer: known.answer };
    }
    let lease = records.lease(caller, leaseId, nowMs);
    if (lease && lease.executing !== 'none') {
      const { digest, answerByMs } = lease;
      if (lease.executing === 'done' || lease.bodyHash !== begin.bodyHash) return toSpent(lease);
      if (!known && lease.executionKeys.length < maxKeysPerExecution) addExecutionKey(lease, begin);
      return { kind: 'in-progress', digest, answerByMs };
    }
    if (!lease && begin.mustBeKnown) return { kind: nowMs < expiresAtMs ? 'unknown' : 'expired' };
    if (nowMs >= (lease?.expiresAtMs ?? expiresAtMs)) return { kind: 'expired' };
    if (!lease) {
      if (records.isFull(caller, nowMs)) return { kind: 'full' };
      const hold = gas && openHold(accounts.of(gas.key, nowMs), begin.amount, expiresAtMs);
      lease = records.addLease({ caller, leaseId, expiresAtMs, hold, reserving: 'foreign' }, nowMs);
    }
    send(lease, begin);
    if (known) records.forgetKey(known);
    addExecutionKey(lease, begin);
    const reservation =
      begin.needsReservation && lease.reserving === 'reserved' ? reservationAnswer(lease, nowMs) : null;
    return reservation === null ? { kind: 'begun' } : { kind: 'begun', reservation };
  }

  function addExecutionKey(
    lease: Lease,
    { caller, idempotency, answerByMs, expiresAtMs, nowMs }: BeginExecution,
  ): void {
    if (!idempotency) return;
    const id = keyIdOf('execute', caller, idempotency.key);
    const facts = { id, bodyHash: idempotency.bodyHash, answerByMs, untilMs: expiresAtMs };
    lease.executionKeys.push(records.addKey(caller, facts, nowMs));
  }

  function reservationAnswer({ reservationKey, reservationText }: Lease, nowMs: number): string | null {
    return reservationKey ? records.answerOf(reservationKey, nowMs) : reservationText;
  }

  function send(lease: Lease, begin: BeginExecution): void {
    const { digest, bodyHash, attempt, answerByMs, amount, budget, requestId, nowMs } = begin;
    lease.executing = 'sent';
    lease.executionKeys = [];
    lease.digest = digest;
    lease.bodyHash = bodyHash;
    lease.attempt = attempt;
    lease.answerByMs = answerByMs;
    lease.amount = amount;
    lease.budget = budget;
    lease.requestId = requestId;
    records.lookForAt(lease, answerByMs);
    if (lease.hold) fixHold(lease.hold);
    records.dropLeaseAt(lease, nowMs + unresolvedLifeMs);
  }

  function findExecution({ caller, leaseId, bodyHash, nowMs }: ExecutionTwin): ExecutionFound | null {
    records.sweep(nowMs);
    const lease = records.lease(caller, leaseId, nowMs);
    if (!lease || lease.executing === 'none') return null;
    const { digest, answerByMs } = lease;
    if (lease.bodyHash !== bodyHash) return toSpent(lease);
    if (lease.executing !== 'done') return { kind: 'in-progress', digest, answerByMs };
    const { executionKeys: keys, executionText } = lease;
    const answers = keys.length === 0 ? [executionText] : keys.map((key) => records.answerOf(key, nowMs));
    const answer = answers.find((each) => each !== null);
    return answer ? { kind: 'replay', answer } : toSpent(lease);
  }

  function endExecution({ caller, leaseId, digest, nowMs, answer, outcome }: EndExecution): boolean {
    records.sweep(nowMs);
    const lease = records.lease(caller, leaseId, nowMs);
    if (!lease || lease.digest !== digest || (lease.executing !== 'sent' && lease.executing !== 'unsure')) return false;
    if (outcome.kind === 'unknown') {
      lease.executing = 'unsure';
      records.lookForAt(lease, nowMs + ownLookMs);
    } else if (outcome.kind === 'not-sent') {
      if (lease.attempt !== outcome.attempt) return false;
      takeBack(lease, nowMs);
    } else if (outcome.kind === 'executed' || lease.attempt === (outcome.attempt ?? lease.attempt)) {
      if (outcome.kind === 'refused' && outcome.isOfNobody && lease.reserving === 'foreign') {
        takeBack(lease, nowMs);
        return true;
      }
      lease.executing = 'done';
      lease.isRefused = outcome.kind === 'refused' && !outcome.isSpentElsewhere;
      if (outcome.kind === 'refused' && outcome.isSpentElsewhere) lease.digest = '';
      if (lease.hold) releaseHold(lease.hold, outcome.kind === 'executed' ? outcome.gasUsed : 0);
      if (answer !== null) answerExecution(lease, answer, nowMs);
      records.dropLeaseAt(lease, Math.max(lease.expiresAtMs, nowMs) + lingerMs);
    } else return false;
    return true;
  }

  function claimOverdue({ most, nowMs }: ClaimOverdue): readonly OverdueExecution[] {
    records.sweep(nowMs);
    const claimed: OverdueExecution[] = [];
    while (claimed.length < most) {
      const lease = records.takeOverdue(nowMs);
      if (!lease) break;
      records.lookForAt(lease, nowMs + Math.max(minClaimPauseMs, (nowMs - lease.answerByMs) / 2));
      const { caller, leaseId, digest, amount, budget, requestId } = lease;
      claimed.push({ caller, leaseId, digest, amount, budget, requestId });
    }
    return claimed;
  }

  function answerExecution(lease: Lease, answer: string, nowMs: number): void {
    for (const key of lease.executionKeys) records.answerKey(key, answer);
    if (lease.executionKeys.length === 0) records.answerLease(lease, 'executionText', answer, nowMs);
  }

  /** As if it had not been sent. */
  function takeBack(lease: Lease, nowMs: number): void {
    lease.executing = 'none';
    lease.digest = '';
    for (const key of lease.executionKeys) records.forgetKey(key);
    lease.executionKeys = [];
    const isOver = lease.reserving === 'foreign' || nowMs >= lease.expiresAtMs;
    if (lease.hold && isOver) releaseHold(lease.hold, 0);
    else if (lease.hold) unfixHold(lease.hold, lease.expiresAtMs);
    if (lease.reserving === 'foreign') records.dropLease(lease);
    else records.dropLeaseAt(lease, lease.expiresAtMs + lingerMs);
  }

  function findReservation(caller: string, leaseId: string, nowMs: number): KeptReservation | null {
    records.sweep(nowMs);
    const lease = records.lease(caller, leaseId, nowMs);
    if (lease?.reserving !== 'reserved') return null;
    const answer = reservationAnswer(lease, nowMs);
    if (answer === null) return null;
    const isActive = lease.executing === 'none';
    return {
      answer,
      expiresAtMs: lease.expiresAtMs,
      state: isActive ? 'active' : 'consumed',
      digest: isActive ? null : lease.digest,
    };
  }

  return {
    beginReservation: async (begin) => beginReservation(begin),
    endReservation: async (end) => endReservation(end),
    beginExecution: async (begin) => beginExecution(begin),
    findExecution: async (twin) => findExecution(twin),
    endExecution: async (end) => endExecution(end),
    claimOverdue: async (claim) => claimOverdue(claim),
    findReservation: async (caller, leaseId, nowMs) => findReservation(caller, leaseId, nowMs),
    gasAllowance: async (gas, nowMs) => allowanceOf(accounts.of(gas.key, nowMs), gas),
    close: () => {},
  };
}

function toSpent({ isRefused, digest }: Lease): Extract<ExecutionFound, { kind: 'spent' | 'refused' }> {
  return { kind: isRefused ? 'refused' : 'spent', digest };
}
