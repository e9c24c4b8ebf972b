import type { TransactionBlockFilter, TransactionBlockKindInput } from '../../generated/ledger.ts';
import { firstSequence } from '../../state/kept-records.ts';
import type { LedgerReader } from '../../state/ledger-state.ts';
import type { TransactionRecord } from '../../state/records.ts';
import { zeroAddress } from '../../transactions/address.ts';
import { inputRefusal, withinInput } from '../arguments/parse-failure.ts';
import { parseDigest, parseLedgerAddress, parseUInt53 } from '../arguments/parse-scalars.ts';
import type { GraphqlLimits } from '../graphql-limits.ts';
import { parseFunctionFilter } from '../moves/type-filter.ts';

/** A transaction filter that has been read and checked. */
export interface TransactionSelection {
  /** Checkpoints, both included. */
  readonly firstCheckpoint: number;
  readonly lastCheckpoint: number;
  readonly tests: readonly ((record: TransactionRecord) => boolean)[];
  /** Filter members that no index can answer alone; two of them need a scan limit. */
  readonly complexMembers: number;
  /** It can match nothing, whatever the ledger holds. */
  readonly neverMatches: boolean;
}

/** Reads a filter and intersects it with what its parent field already selects. */
export function parseTransactionFilter(
  filter: TransactionBlockFilter | null | undefined,
  parent: TransactionBlockFilter,
  limits: Pick<GraphqlLimits, 'maxTransactionIds'>,
): TransactionSelection {
  const own = withinInput('TransactionBlockFilter', () => readFilter(filter ?? {}, limits));
  const outer = readFilter(parent, limits);
  const firstCheckpoint = Math.max(own.firstCheckpoint, outer.firstCheckpoint);
  const lastCheckpoint = Math.min(own.lastCheckpoint, outer.lastCheckpoint);
  const sender = filter?.sentAddress ?? parent.sentAddress;
  return {
    firstCheckpoint,
    lastCheckpoint,
    tests: [...outer.tests, ...own.tests],
    complexMembers: complexMembersOf({ ...parent, ...withoutNulls(filter ?? {}) }),
    neverMatches:
      firstCheckpoint > lastCheckpoint ||
      filter?.transactionIds?.length === 0 ||
      disagree(filter?.sentAddress, parent.sentAddress) ||
      contradicts(filter?.kind, sender),
  };
}

function readFilter(
  filter: TransactionBlockFilter,
  limits: Pick<GraphqlLimits, 'maxTransactionIds'>,
): Pick<TransactionSelection, 'firstCheckpoint' | 'lastCheckpoint' | 'tests'> {
  const after = filter.afterCheckpoint == null ? undefined : parseUInt53(filter.afterCheckpoint);
  const at = filter.atCheckpoint == null ? undefined : parseUInt53(filter.atCheckpoint);
  const before = filter.beforeCheckpoint == null ? undefined : parseUInt53(filter.beforeCheckpoint);
  return {
    firstCheckpoint: Math.max(after === undefined ? 0 : after + 1, at ?? 0),
    lastCheckpoint: Math.min(
      before === undefined ? Number.POSITIVE_INFINITY : before - 1,
      at ?? Number.POSITIVE_INFINITY,
    ),
    tests: readTests(filter, limits),
  };
}

function readTests(
  filter: TransactionBlockFilter,
  limits: Pick<GraphqlLimits, 'maxTransactionIds'>,
): ((record: TransactionRecord) => boolean)[] {
  const tests: ((record: TransactionRecord) => boolean)[] = [];
  const { kind } = filter;
  if (kind != null) tests.push((record) => fitsKind(record, kind));
  if (filter.sentAddress != null) {
    const sender = parseLedgerAddress(filter.sentAddress);
    tests.push((record) => record.sender === sender);
  }
  if (filter.function != null) {
    const fits = parseFunctionFilter(filter.function);
    tests.push((record) => record.moveCalls.some(fits));
  }
  if (filter.recvAddress != null) {
    const recipient = parseLedgerAddress(filter.recvAddress);
    tests.push((record) => receives(record, recipient));
  }
  if (filter.inputObject != null) {
    const id = parseLedgerAddress(filter.inputObject);
    tests.push((record) => record.inputIds.includes(id));
  }
  if (filter.changedObject != null) {
    const id = parseLedgerAddress(filter.changedObject);
    tests.push((record) => record.changes.some((change) => change.objectId === id && change.kind !== 'deleted'));
  }
  if (filter.wrappedOrDeletedObject != null) {
    const id = parseLedgerAddress(filter.wrappedOrDeletedObject);
    tests.push((record) => record.changes.some((change) => change.objectId === id && change.kind === 'deleted'));
  }
  if (filter.transactionIds != null) {
    if (filter.transactionIds.length > limits.maxTransactionIds) {
      throw inputRefusal(`Transaction IDs exceed max limit of '${limits.maxTransactionIds}'`);
    }
    const digests = new Set(filter.transactionIds.map(parseDigest));
    tests.push((record) => digests.has(record.digest));
  }
  return tests;
}

function receives(record: TransactionRecord, recipient: string): boolean {
  return record.changes.some(
    ({ output }) => output?.live && output.owner.kind === 'address' && output.owner.address === recipient,
  );
}

function fitsKind(record: TransactionRecord, kind: TransactionBlockKindInput): boolean {
  return kind === 'SYSTEM_TX' ? record.kind !== 'PROGRAMMABLE_TX' : record.kind === kind;
}

function complexMembersOf(filter: TransactionBlockFilter): number {
  const members = [
    filter.function,
    filter.kind,
    filter.recvAddress,
    filter.inputObject,
    filter.changedObject,
    filter.wrappedOrDeletedObject,
    filter.transactionIds,
  ];
  return members.filter((member) => member != null).length;
}

/** Only system transactions have the zero sender, and all of them do. */
function contradicts(kind: TransactionBlockKindInput | null | undefined, sender: string | null | undefined): boolean {
  if (kind == null || sender == null) return false;
  return (kind === 'PROGRAMMABLE_TX') === (parseLedgerAddress(sender) === zeroAddress);
}

function disagree(left: string | null | undefined, right: string | null | undefined): boolean {
  return left != null && right != null && parseLedgerAddress(left) !== parseLedgerAddress(right);
}

function withoutNulls(filter: TransactionBlockFilter): TransactionBlockFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value != null));
}

/** Positions of the transactions a selection's checkpoints hold, as seen at a checkpoint. */
export function selectedRange(
  ledger: LedgerReader,
  selection: Pick<TransactionSelection, 'firstCheckpoint' | 'lastCheckpoint'>,
  viewedAt: number,
): { readonly from: number; readonly to: number } {
  const last = Math.min(selection.lastCheckpoint, viewedAt, ledger.latestCheckpoint().sequenceNumber);
  if (selection.firstCheckpoint > last) return { from: 0, to: 0 };
  return {
    from: ledger.checkpoint(selection.firstCheckpoint)?.firstTransaction ?? firstSequence(ledger.transactions),
    to: ledger.checkpoint(last)?.endTransaction ?? 0,
  };
}
