import type { Account, Draft } from './draft.ts';
import { type BeginExecution, keyLifeMs, textLifeMs } from './sponsorship-store.ts';

interface Text {
  readonly text: string;
  readonly bytes: number;
}

/** The keys and answers of a lease, as a hold in the accounts of its caller. */
interface Kept {
  /** Those under idempotency keys are kept for a day, the others for minutes. */
  readonly list: 'keys' | 'texts';
  readonly member: string;
  readonly untilMs: number;
}

export interface Key {
  readonly id: string;
  readonly untilMs: number;
}

/** Part of an account, held for one lease. */
export interface Hold {
  readonly account: string;
  readonly amount: number;
  /** `null`: it expires with the lease, as those of open reservations do. Otherwise dispatched: held until it is settled, in the account of this origin. */
  readonly fixedIn: string | null;
}

export interface LeaseRecord {
  readonly caller: string;
  readonly leaseId: string;
  /** The sponsor's number that leads to this lease. */
  readonly number: string | null;
  readonly expiresAtMs: number;
  /** Until then the lease is known. Its answers may be kept for longer. */
  readonly dropAtMs: number;
  readonly run: string;
  /** `foreign`: reserved elsewhere; first seen here when it was executed. */
  readonly reserving: 'asked' | 'reserved' | 'lost' | 'foreign';
  readonly askedAtMs: number;
  readonly answerByMs: number;
  readonly holds: readonly Hold[];
  /** The only sender of its transaction; `null` or left out: any. */
  readonly sender?: string | null;
  readonly reserveKey: Key | null;
  readonly reservation: Text | null;
  readonly execution: ExecutionRecord | null;
  /** The key of the execution, and the keys of twins that joined it. */
  readonly executeKeys: readonly Key[];
  readonly kept: Kept | null;
}

export interface ExecutionRecord
  extends Pick<
    BeginExecution,
    'digest' | 'bodyHash' | 'attempt' | 'answerByMs' | 'amount' | 'budget' | 'coin' | 'requestId' | 'nowMs'
  > {
  /** `unsure`: dispatched, outcome unknown. */
  readonly state: 'sent' | 'unsure' | 'done';
  readonly isRefused: boolean;
  readonly lookAtMs: number;
  readonly text: Text | null;
}

interface KeyRecord {
  readonly lease: string;
  readonly bodyHash: string;
  readonly untilMs: number;
}

interface NumberRecord {
  readonly lease: string;
}

export function nameFor(caller: string, leaseId: string): string {
  return `${leaseId} ${caller}`;
}

export function nameOf({ caller, leaseId }: LeaseRecord): string {
  return nameFor(caller, leaseId);
}

const sponsorNumber = /^\d{1,20}$/;

/** Leases that this id may mean, the likeliest first. */
export function leasesOf(draft: Draft, caller: string, leaseId: string): readonly LeaseRecord[] {
  const name = nameFor(caller, leaseId);
  const number = sponsorNumber.test(leaseId) ? draft.get<NumberRecord>(`number:${name}`) : null;
  const named = number && draft.get<LeaseRecord>(`lease:${number.lease}`);
  return [named, draft.get<LeaseRecord>(`lease:${name}`)].filter(
    (lease) => lease !== null && lease.dropAtMs > draft.nowMs,
  ) as LeaseRecord[];
}

export function leaseOf(draft: Draft, caller: string, leaseId: string): LeaseRecord | null {
  const lease = leasesOf(draft, caller, leaseId)[0];
  // Once a lease has a number, it has no other name.
  return lease && (lease.number === null || lease.number === leaseId) ? lease : null;
}

/** An account in which each lease of the caller is a hold of 1. */
function leasesAccount(draft: Draft, caller: string): Account {
  return draft.account(`leases:${caller}`);
}

export function isFull(draft: Draft, caller: string): boolean {
  const { maxLeasesPerCaller, maxLeases } = draft.bounds;
  return draft.records.load.leases >= maxLeases || leasesAccount(draft, caller).count >= maxLeasesPerCaller;
}

export function saveLease(draft: Draft, lease: LeaseRecord): void {
  const { caller, number, dropAtMs } = lease;
  const name = nameOf(lease);
  const record = `lease:${name}`;
  const before = draft.get<LeaseRecord>(record);
  if (dropAtMs > draft.nowMs && dropAtMs !== before?.dropAtMs)
    leasesAccount(draft, caller).expireAt(`${name}:1`, dropAtMs);
  const kept = toKept(draft, lease, name);
  draft.put(record, { ...lease, kept }, Math.max(dropAtMs, kept?.untilMs ?? 0));
  if (number !== null) draft.put(`number:${nameFor(caller, number)}`, { lease: name }, dropAtMs);
  keep(draft, lease, kept);
  if (kept) makeRoom(draft, caller, kept);
}

export function dropLease(draft: Draft, lease: LeaseRecord): void {
  const name = nameOf(lease);
  draft.delete(`lease:${name}`);
  const number = lease.number === null ? null : `number:${nameFor(lease.caller, lease.number)}`;
  if (number !== null && draft.get<NumberRecord>(number)?.lease === name) draft.delete(number);
  deleteKeys(draft, lease);
  if (lease.execution) draft.move('overdue', name, null);
  leasesAccount(draft, lease.caller).cancel(`${name}:1`);
  keep(draft, lease, null);
}

// Answers and keys -----------------------------------------------------------------------------

function toKept({ nowMs }: Draft, lease: LeaseRecord, name: string): Kept | null {
  const { reservation, execution, reserveKey, executeKeys } = lease;
  const keys = reserveKey ? [reserveKey, ...executeKeys] : executeKeys;
  const bytes = (reservation?.bytes ?? 0) + (execution?.text?.bytes ?? 0);
  const member = `${name}:${bytes}`;
  if (keys.length > 0) return { list: 'keys', member, untilMs: Math.max(...keys.map(({ untilMs }) => untilMs)) };
  if (!reservation && !execution?.text) return null;
  return { list: 'texts', member, untilMs: lease.kept?.list === 'texts' ? lease.kept.untilMs : nowMs + textLifeMs };
}

function keptAccount(draft: Draft, list: Kept['list'], caller: string): Account {
  return draft.account(`${list}:${caller}`);
}

function keep(draft: Draft, { caller, kept: before }: LeaseRecord, kept: Kept | null): void {
  if (before && (before.list !== kept?.list || before.member !== kept.member))
    keptAccount(draft, before.list, caller).cancel(before.member);
  if (kept) keptAccount(draft, kept.list, caller).expireAt(kept.member, kept.untilMs);
}

/** Forgets a caller's oldest answers and keys: those beyond its bounds, and its share of those beyond the bounds of all. */
function makeRoom(draft: Draft, caller: string, { list, member: own }: Kept): void {
  const { maxKeysPerCaller, maxAnswerBytesPerCaller, maxKeys, maxAnswerBytesInAll } = draft.bounds;
  const { leases, bytes, callers } = draft.records.load;
  const account = keptAccount(draft, list, caller);
  // A caller with less than the average loses nothing to others.
  const isBusy = () =>
    (leases > maxKeys && account.count * callers >= leases) ||
    (bytes > maxAnswerBytesInAll && account.held * callers >= bytes);
  const isBeyond = () => account.count > maxKeysPerCaller || account.held > maxAnswerBytesPerCaller;
  for (let forgotten = 0; isBeyond() || (forgotten < 2 && isBusy()); forgotten += 1) {
    const { member } = account.pending.find((other) => other.member !== own) ?? { member: own };
    forget(draft, caller, { list, member });
    if (member === own) break;
  }
}

function forget(draft: Draft, caller: string, oldest: Pick<Kept, 'list' | 'member'>): void {
  const { member } = oldest;
  const lease = draft.get<LeaseRecord>(`lease:${member.slice(0, member.lastIndexOf(':'))}`);
  if (lease?.kept?.member !== member) {
    // It has expired.
    keptAccount(draft, oldest.list, caller).cancel(member);
  } else if (lease.dropAtMs <= draft.nowMs) {
    dropLease(draft, lease);
  } else {
    deleteKeys(draft, lease);
    const execution = lease.execution && { ...lease.execution, text: null };
    saveLease(draft, { ...lease, reserveKey: null, executeKeys: [], reservation: null, execution });
  }
}

function deleteKeys(draft: Draft, { reserveKey, executeKeys }: LeaseRecord): void {
  for (const { id } of reserveKey ? [reserveKey, ...executeKeys] : executeKeys) draft.delete(`key:${id}`);
}

interface Known {
  readonly bodyHash: string;
  readonly lease: LeaseRecord;
}

/** The lease of an idempotency key. */
export function knownBy(draft: Draft, id: string | null): Known | null {
  const key = id === null ? null : draft.get<KeyRecord>(`key:${id}`);
  if (!key || draft.nowMs >= key.untilMs) return null;
  const lease = draft.get<LeaseRecord>(`lease:${key.lease}`);
  const isIts = lease?.reserveKey?.id === id || lease?.executeKeys?.some((other) => other.id === id);
  return lease && isIts ? { bodyHash: key.bodyHash, lease } : null;
}

export function addKey(draft: Draft, lease: LeaseRecord, id: string, bodyHash: string): Key {
  const untilMs = draft.nowMs + keyLifeMs;
  draft.put(`key:${id}`, { lease: nameOf(lease), bodyHash, untilMs }, untilMs);
  return { id, untilMs };
}

/** The key leads to another lease from now on. */
export function takeKeyFrom(draft: Draft, lease: LeaseRecord, id: string): void {
  const reserveKey = lease.reserveKey?.id === id ? null : lease.reserveKey;
  const rest = { ...lease, reserveKey, executeKeys: lease.executeKeys.filter((key) => key.id !== id) };
  draft.delete(`key:${id}`);
  if (lease.dropAtMs <= draft.nowMs && !reserveKey && rest.executeKeys.length === 0) dropLease(draft, lease);
  else saveLease(draft, rest);
}

export function toKeptText({ bounds }: Draft, text: string): Text | null {
  const bytes = Buffer.byteLength(text);
  return bytes > bounds.maxAnswerBytes ? null : { text, bytes };
}

export function readKeptText(
  { nowMs }: Draft,
  lease: LeaseRecord | null,
  of: 'reservation' | 'execution',
): string | null {
  if (!lease?.kept || nowMs >= lease.kept.untilMs) return null;
  return (of === 'reservation' ? lease.reservation : lease.execution?.text)?.text ?? null;
}
