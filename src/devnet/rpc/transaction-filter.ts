import type { TransactionKind, TransactionRecord } from '../state/records.ts';
import { readAddress, readName, readObject, readTagged, readText, readWholeNumber } from './read-param.ts';
import { invalidParams } from './rpc-error.ts';

/** A filter that has been read and checked. */
export interface TransactionFilter {
  readonly matches: (transaction: TransactionRecord) => boolean;
  /** Where to look: contains every matching transaction, and perhaps others. */
  readonly candidates:
    | { readonly kind: 'all' }
    | { readonly kind: 'key'; readonly key: string }
    | { readonly kind: 'checkpoint'; readonly sequenceNumber: number };
}

/** JSON-RPC's names of the kinds. */
const kindNames: Readonly<Record<TransactionKind, string>> = {
  GENESIS: 'Genesis',
  CONSENSUS_COMMIT_PROLOGUE_V1: 'ConsensusCommitPrologueV1',
  END_OF_EPOCH_TX: 'EndOfEpochTransaction',
  RANDOMNESS_STATE_UPDATE: 'RandomnessStateUpdate',
  PROGRAMMABLE_TX: 'ProgrammableTransaction',
};
const anySystemKind = 'SystemTransaction';

/** The keys a transaction is indexed under; filters look these up. */
export function* transactionKeys(transaction: TransactionRecord): Iterable<string> {
  yield `from ${transaction.sender}`;
  yield `fromOrTo ${transaction.sender}`;
  for (const recipient of recipientsOf(transaction)) {
    yield `to ${recipient}`;
    yield `fromOrTo ${recipient}`;
  }
  for (const id of transaction.inputIds) yield `input ${id}`;
  for (const { kind, objectId } of transaction.changes)
    yield `${kind === 'deleted' ? 'deleted' : 'changed'} ${objectId}`;
  for (const call of transaction.moveCalls) {
    yield `calls ${call.package}`;
    yield `calls ${call.package}::${call.module}`;
    yield `calls ${call.package}::${call.module}::${call.function}`;
  }
  yield `kind ${kindNames[transaction.kind]}`;
  if (transaction.kind !== 'PROGRAMMABLE_TX') yield `kind ${anySystemKind}`;
}

/** Owners of created or changed objects: as on real nodes, these include the payer of the gas. */
function* recipientsOf({ changes }: TransactionRecord): Iterable<string> {
  for (const { output } of changes) {
    if (output?.live === true && output.owner.kind === 'address') yield output.owner.address;
  }
}

function hasKey(transaction: TransactionRecord, key: string): boolean {
  for (const own of transactionKeys(transaction)) if (own === key) return true;
  return false;
}

const byKeys = (key: string, ...others: string[]): TransactionFilter => ({
  candidates: { kind: 'key', key },
  matches: (transaction) => [key, ...others].every((each) => hasKey(transaction, each)),
});

const readers: Readonly<Record<string, (where: string, content: unknown) => TransactionFilter>> = {
  Checkpoint: (where, content) => {
    const sequenceNumber = readWholeNumber(where, content);
    return {
      candidates: { kind: 'checkpoint', sequenceNumber },
      matches: ({ checkpoint }) => checkpoint === sequenceNumber,
    };
  },
  MoveFunction: (where, content) => {
    const { package: id, module, function: name } = readObject(where, content);
    if (name != null && module == null) throw invalidParams(`${where}.module is needed with function`);
    const path = [readAddress(`${where}.package`, id)];
    if (module != null) path.push(readName(`${where}.module`, module));
    if (name != null) path.push(readName(`${where}.function`, name));
    return byKeys(`calls ${path.join('::')}`);
  },
  InputObject: (where, content) => byKeys(`input ${readAddress(where, content)}`),
  ChangedObject: (where, content) => byKeys(`changed ${readAddress(where, content)}`),
  WrappedOrDeletedObject: (where, content) => byKeys(`deleted ${readAddress(where, content)}`),
  FromAddress: (where, content) => byKeys(`from ${readAddress(where, content)}`),
  ToAddress: (where, content) => byKeys(`to ${readAddress(where, content)}`),
  FromAndToAddress: (where, content) => {
    const { from, to } = readObject(where, content);
    return byKeys(`from ${readAddress(`${where}.from`, from)}`, `to ${readAddress(`${where}.to`, to)}`);
  },
  FromOrToAddress: (where, content) =>
    byKeys(`fromOrTo ${readAddress(`${where}.addr`, readObject(where, content).addr)}`),
  TransactionKind: (where, content) => byKeys(`kind ${readKind(where, content)}`),
  TransactionKindIn: (where, content) => {
    if (!Array.isArray(content)) throw invalidParams(`${where} must be a list of kinds`);
    const keys = content.map((kind, index) => `kind ${readKind(`${where}[${index}]`, kind)}`);
    return { candidates: { kind: 'all' }, matches: (transaction) => keys.some((key) => hasKey(transaction, key)) };
  },
};

function readKind(where: string, content: unknown): string {
  const text = readText(where, content);
  const known = [anySystemKind, ...Object.values(kindNames)];
  if (known.includes(text)) return text;
  throw invalidParams(`${where}: unknown variant \`${text.slice(0, 40)}\`, expected one of ${known.join(', ')}`);
}

/** Without a filter every transaction matches. */
export function readTransactionFilter(value: unknown): TransactionFilter {
  if (value === null || value === undefined) return { candidates: { kind: 'all' }, matches: () => true };
  const { tag, content } = readTagged('filter', value);
  const reader = Object.hasOwn(readers, tag) ? readers[tag] : undefined;
  if (reader) return reader(`filter.${tag}`, content);
  throw invalidParams(`unknown variant \`${tag.slice(0, 40)}\`, expected one of ${Object.keys(readers).join(', ')}`);
}
