import { toDigest } from '../../transactions/digest.ts';
import type { ObjectRef, TypeTag } from '../../transactions/transaction-bcs.ts';
import type {
  BalanceChange,
  EventRecord,
  GasSummary,
  MoveCallRecord,
  ObjectChange,
  ObjectRecord,
  TransactionRecord,
} from '../state/records.ts';
import { contentHash } from '../transactions/content-hash.ts';
import type { AnyTransactionData } from '../transactions/system-transaction.ts';
import { toTypeText } from '../transactions/type-text.ts';
import type { LedgerView } from './ledger-view.ts';
import type { EventDraft } from './move-call.ts';
import { toCoinType } from './move-object.ts';

/** The result of a run that has not been recorded yet. */
export interface RunResult {
  readonly data: AnyTransactionData;
  readonly bytes: Uint8Array;
  readonly digest: string;
  readonly signatures: () => readonly string[];
  readonly status: TransactionRecord['status'];
  readonly gasUsed: GasSummary;
  readonly lamportVersion: number;
  readonly changes: readonly ObjectChange[];
  readonly inputs: readonly ObjectRecord[];
  readonly gasCoinId: string | null;
  readonly events: readonly EventDraft[];
}

/** The record of a transaction that ran; pending until a checkpoint takes it in. */
export function toTransactionRecord(result: RunResult, view: LedgerView): TransactionRecord {
  const { data, changes } = result;
  const gasChange = changes.find((change) => change.objectId === result.gasCoinId);
  const recipients = toRecipients(changes, data.sender);
  const objectIds = [...new Set([...result.inputs, ...changes].map((object) => object.objectId))];
  const events = result.events.map(
    (event, index): EventRecord => ({
      ...event,
      txDigest: result.digest,
      eventSeq: index,
      sequence: view.nextEventSequence + index,
      sender: data.sender,
      timestampMs: view.timestampMs,
      objectIds,
      recipients,
    }),
  );
  return {
    digest: result.digest,
    sequence: view.nextTransactionSequence,
    kind: data.kind.kind,
    sender: data.sender,
    bytes: result.bytes,
    signatures: result.signatures,
    gas: data.gas,
    moveCalls: toMoveCalls(data),
    inputObjects: result.inputs.map(toObjectRef),
    inputIds: toInputIds(result),
    expirationEpoch: data.expirationEpoch,
    status: result.status,
    gasUsed: result.gasUsed,
    lamportVersion: result.lamportVersion,
    dependencies: [...new Set(result.inputs.map((input) => input.previousTransaction))].sort(),
    changes,
    gasObject: gasChange?.output ?? null,
    balanceChanges: toBalanceChanges(changes),
    events,
    eventsDigest: events.length === 0 ? null : toEventsDigest(result.events),
    epoch: view.epoch,
    timestampMs: view.timestampMs,
    checkpoint: null,
  };
}

function toObjectRef({ objectId, version, digest }: ObjectRef): ObjectRef {
  return { objectId, version, digest };
}

/** Networks index no objects that a transaction receives, and the packages that its commands and their types name. */
function toInputIds({ data: { kind, gas }, inputs }: RunResult): string[] {
  if (kind.kind !== 'PROGRAMMABLE_TX') return inputs.map(({ objectId }) => objectId);
  const ids = new Set(gas.payment.map(({ objectId }) => objectId));
  for (const input of kind.inputs) {
    if (input.kind === 'shared') ids.add(input.objectId);
    if (input.kind === 'owned') ids.add(input.ref.objectId);
  }
  const addPackages = (type: TypeTag): void => {
    if (type.kind === 'vector') addPackages(type.element);
    if (type.kind !== 'struct') return;
    ids.add(type.struct.address);
    type.struct.typeParameters.forEach(addPackages);
  };
  for (const command of kind.commands) {
    if ('package' in command) ids.add(command.package);
    if ('dependencies' in command) for (const id of command.dependencies) ids.add(id);
    if (command.kind === 'moveCall') command.typeArguments.forEach(addPackages);
    if (command.kind === 'makeMoveVec' && command.type) addPackages(command.type);
  }
  return [...ids];
}

function toMoveCalls(data: AnyTransactionData): MoveCallRecord[] {
  if (data.kind.kind !== 'PROGRAMMABLE_TX') return [];
  return data.kind.commands.flatMap((command) =>
    command.kind === 'moveCall'
      ? [
          {
            package: command.package,
            module: command.module,
            function: command.function,
            typeArguments: command.typeArguments.map(toTypeText),
          },
        ]
      : [],
  );
}

/** Addresses that own an object after the transaction that they did not own before. */
function toRecipients(changes: readonly ObjectChange[], sender: string): string[] {
  const recipients = new Set<string>();
  for (const { input, output } of changes) {
    if (!output?.live || output.owner.kind !== 'address') continue;
    const before = input?.owner.kind === 'address' ? input.owner.address : sender;
    if (input === null || before !== output.owner.address) recipients.add(output.owner.address);
  }
  return [...recipients];
}

/** Net change per owner and coin type, gas included; zero changes are left out. */
function toBalanceChanges(changes: readonly ObjectChange[]): BalanceChange[] {
  const totals = new Map<string, { owner: string; coinType: string; amount: bigint }>();
  const add = (object: ObjectRecord | null, sign: bigint) => {
    if (!object?.live || object.balance === null) return;
    if (object.owner.kind !== 'address' && object.owner.kind !== 'object') return;
    const owner = object.owner.address;
    const coinType = toCoinType(object.type) ?? object.type;
    const total = totals.get(`${owner} ${coinType}`) ?? { owner, coinType, amount: 0n };
    total.amount += sign * object.balance;
    totals.set(`${owner} ${coinType}`, total);
  };
  for (const { input, output } of changes) {
    add(input, -1n);
    add(output, 1n);
  }
  return [...totals.entries()]
    .filter(([, total]) => total.amount !== 0n)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, total]) => total);
}

function toEventsDigest(events: readonly EventDraft[]): string {
  const parts = events.flatMap(({ packageId, transactionModule, type, bcs }) => [
    Buffer.from(`${packageId} ${transactionModule} ${type} ${bcs.length} `),
    bcs,
  ]);
  return toDigest(contentHash(Buffer.concat([Buffer.from('TransactionEvents:: '), ...parts])));
}
