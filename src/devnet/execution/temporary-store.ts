import type { ObjectChange, ObjectRecord } from '../state/records.ts';
import { type ObjectDraft, toObjectRecord, toTombstone } from './move-object.ts';

/**
 * The changes of a running transaction. The ledger gets them from `toChanges`; dropping the store undoes them. Every mutable
 * input ends at a new version, touched or not: that is how the network orders transactions on one object.
 */
export class TemporaryStore {
  readonly #inputs: ReadonlyMap<string, ObjectRecord>;
  readonly #written = new Map<string, ObjectDraft>();
  readonly #created = new Map<string, ObjectDraft>();
  readonly #deleted = new Set<string>();

  constructor(mutableInputs: Iterable<ObjectRecord>) {
    this.#inputs = new Map([...mutableInputs].map((record) => [record.objectId, record]));
  }

  isMutable(objectId: string): boolean {
    return this.#inputs.has(objectId) || this.#created.has(objectId);
  }

  read(objectId: string): ObjectDraft | undefined {
    if (this.#deleted.has(objectId)) return undefined;
    return this.#created.get(objectId) ?? this.#written.get(objectId) ?? this.#inputs.get(objectId);
  }

  /** Replaces a mutable input, or something created before. */
  write(draft: ObjectDraft): void {
    if (this.#created.has(draft.objectId)) this.#created.set(draft.objectId, draft);
    else this.#written.set(draft.objectId, draft);
  }

  create(draft: ObjectDraft): void {
    this.#created.set(draft.objectId, draft);
  }

  /** Deletes an object. One that this transaction created leaves no trace. */
  delete(objectId: string): void {
    if (!this.#created.delete(objectId)) this.#deleted.add(objectId);
  }

  /** The objects that will exist at the new version. */
  outputs(): ObjectDraft[] {
    const kept = [...this.#inputs.values()].filter((input) => !this.#deleted.has(input.objectId));
    return [...kept.map((input) => this.#written.get(input.objectId) ?? input), ...this.#created.values()];
  }

  /** What was paid for storing the mutable inputs. */
  storedBefore(): bigint {
    let total = 0n;
    for (const input of this.#inputs.values()) total += input.storageRebate;
    return total;
  }

  /** @param keepRebates when storage could not be paid for, replaced objects keep the rebate they carried */
  toChanges(version: number, transactionDigest: string, keepRebates = false): ObjectChange[] {
    const changes: ObjectChange[] = [];
    for (const input of this.#inputs.values()) {
      if (this.#deleted.has(input.objectId)) {
        changes.push({
          objectId: input.objectId,
          input,
          output: toTombstone(input, version, transactionDigest),
          kind: 'deleted',
        });
        continue;
      }
      const draft = this.#written.get(input.objectId) ?? input;
      const rebate = keepRebates ? input.storageRebate : undefined;
      const output = toObjectRecord(draft, version, transactionDigest, rebate);
      changes.push({ objectId: input.objectId, input, output, kind: 'mutated' });
    }
    for (const draft of this.#created.values()) {
      const output = toObjectRecord(draft, creationVersion(draft) ?? version, transactionDigest);
      changes.push({ objectId: draft.objectId, input: null, output, kind: 'created' });
    }
    return changes.sort((left, right) => (left.objectId < right.objectId ? -1 : 1));
  }
}

/** Packages count their own versions; every other new object takes the transaction's. */
function creationVersion(draft: ObjectDraft): number | undefined {
  const version = draft.type === 'package' ? draft.json.version : undefined;
  return typeof version === 'string' ? Number(version) : undefined;
}
