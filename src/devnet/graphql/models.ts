import type { Argument, CallArg, ObjectRef, TransactionCommand } from '../../transactions/transaction-bcs.ts';
import type { ExecutionOutcome } from '../state/ledger-state.ts';
import type {
  ObjectChange as ChangeRecord,
  CheckpointRecord,
  CoinMetadataRecord,
  CommandReport,
  EpochRecord,
  EventRecord,
  ObjectRecord,
  OwnerRecord,
  ReportedValue,
  TransactionRecord,
} from '../state/records.ts';

/**
 * The values that resolvers pass to their children. Each has the checkpoint it was read at, so that nested fields
 * read the same one.
 */
export interface Viewed {
  /** Sequence number of the checkpoint. */
  readonly viewedAt: number;
}

export interface AddressModel extends Viewed {
  readonly address: string;
}

export interface ObjectModel extends Viewed {
  readonly record: ObjectRecord;
}

export interface OwnerKindModel extends Viewed {
  readonly owner: OwnerRecord;
  readonly isPackage: boolean;
}

export interface ModuleModel extends Viewed {
  readonly packageId: string;
  readonly name: string;
}

export interface TransactionModel extends Viewed {
  readonly record: TransactionRecord;
  /** A dry run has no digest, signatures or effects that lasted. */
  readonly dryRun: boolean;
}

export interface EventModel extends Viewed {
  readonly record: EventRecord;
}

export interface CheckpointModel extends Viewed {
  readonly record: CheckpointRecord;
}

export interface EpochModel extends Viewed {
  readonly record: EpochRecord;
}

export interface TypeModel {
  /** Canonical text. */
  readonly repr: string;
}

export interface ValueModel {
  readonly type: string;
  readonly bcs: Uint8Array;
  readonly json: unknown;
}

export interface ObjectChangeModel extends Viewed {
  readonly change: ChangeRecord;
}

export interface BalanceModel {
  readonly coinType: string;
  readonly coinObjectCount: number;
  readonly totalBalance: bigint;
}

/** A shared object at the version a transaction read. */
export interface SharedReadModel extends Viewed {
  readonly ref: ObjectRef;
}

export interface CoinMetadataModel extends Viewed {
  readonly record: CoinMetadataRecord;
}

export interface BalanceChangeModel extends Viewed {
  readonly owner: string;
  readonly coinType: string;
  readonly amount: bigint;
}

export interface DynamicFieldModel extends Viewed {
  readonly name: ValueModel;
  readonly value: ValueModel | ObjectModel;
}

/** A command of a programmable transaction, which its arguments belong to. */
export interface CommandModel<Kind extends TransactionCommand['kind'] = TransactionCommand['kind']> {
  readonly command: Extract<TransactionCommand, { kind: Kind }>;
  readonly transaction: TransactionModel;
}

export interface InputModel<Kind extends CallArg['kind'] = CallArg['kind']> extends Viewed {
  readonly input: Extract<CallArg, { kind: Kind }>;
}

export interface ArgumentModel<Kind extends Argument['kind'] = Argument['kind']> {
  readonly argument: Extract<Argument, { kind: Kind }>;
  readonly transaction: TransactionModel;
}

export interface ExecutionModel extends Viewed {
  readonly outcome: Extract<ExecutionOutcome, { kind: 'executed' }>;
}

/** The results and changes of one command of a dry run. */
export interface CommandReportModel {
  readonly report: CommandReport;
  readonly transaction: TransactionModel;
}

export interface MutationModel extends ReportedValue, ArgumentModel {}

export interface DryRunModel extends Viewed {
  readonly outcome: ExecutionOutcome;
}

export interface EdgeModel<Node> {
  readonly cursor: string;
  readonly node: Node;
}

/** A page as the resolvers of its connection make it. */
export interface ConnectionModel<Node> {
  readonly pageInfo: {
    readonly hasPreviousPage: boolean;
    readonly hasNextPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly edges: readonly EdgeModel<Node>[];
  readonly nodes: readonly Node[];
}
