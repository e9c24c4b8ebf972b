import { base64 } from '@scure/base';
import { gasSchedule } from '../../execution/gas-schedule.ts';
import type { ObjectRef, TransactionMetadata } from '../../generated/ledger.ts';
import type { ReportedValue } from '../../state/records.ts';
import { zeroAddress } from '../../transactions/address.ts';
import { encodeTransactionData } from '../../transactions/encode-transaction.ts';
import { parseTransactionData, parseTransactionKind } from '../../transactions/parse-transaction.ts';
import { inputRefusal, serviceFault, withinInput } from '../arguments/parse-failure.ts';
import { parseDigest, parseLedgerAddress, parseUInt53, reasonOf } from '../arguments/parse-scalars.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import type {
  ArgumentModel,
  CommandReportModel,
  DryRunModel,
  ExecutionModel,
  MutationModel,
  TransactionModel,
} from '../models.ts';

export const executionResolvers = {
  Mutation: {
    executeTransactionBlock(
      _: unknown,
      args: { readonly txBytes: string; readonly signatures: readonly string[] },
      { ledger, viewedAt }: GraphqlContext,
    ): ExecutionModel {
      const bytes = parseTransactionBytes(args.txBytes, parseTransactionData);
      for (const signature of args.signatures) {
        decodeBase64(
          signature,
          (reason) => `Unable to deserialize signature bytes ${signature} from Base64: ${reason}`,
        );
      }
      const outcome = ledger.execute(bytes, args.signatures);
      if (outcome.kind === 'refused') throw serviceFault(`Unable to execute transaction: ${outcome.message}`);
      return { outcome, viewedAt };
    },
  },
  ExecutionResult: {
    errors: ({ outcome }: ExecutionModel) => {
      const { status } = outcome.transaction;
      return status.ok ? null : [status.error];
    },
    effects: ({ outcome, viewedAt }: ExecutionModel): TransactionModel => ({
      record: outcome.transaction,
      viewedAt,
      dryRun: false,
    }),
  },
  DryRunResult: {
    error: ({ outcome }: DryRunModel) => {
      if (outcome.kind === 'refused') return outcome.message;
      const { status } = outcome.transaction;
      return status.ok ? null : status.error;
    },
    results: (parent: DryRunModel): readonly CommandReportModel[] | null => {
      const transaction = toDryTransaction(parent);
      if (!transaction?.record.status.ok) return null;
      return (transaction.record.commandReports ?? []).map((report) => ({ report, transaction }));
    },
    transaction: toDryTransaction,
  },
  DryRunEffect: {
    mutatedReferences: ({ report, transaction }: CommandReportModel): readonly MutationModel[] =>
      report.mutated.map((value) => ({ ...value, transaction })),
    returnValues: ({ report }: CommandReportModel) => report.returned,
  },
  DryRunMutation: {
    input: ({ argument, transaction }: MutationModel): ArgumentModel => ({ argument, transaction }),
    type: ({ type }: MutationModel) => ({ repr: type }),
    bcs: ({ bcs }: MutationModel) => base64.encode(bcs),
  },
  DryRunReturn: {
    type: ({ type }: ReportedValue) => ({ repr: type }),
    bcs: ({ bcs }: ReportedValue) => base64.encode(bcs),
  },
};

export function toDryTransaction({ outcome, viewedAt }: DryRunModel): TransactionModel | null {
  return outcome.kind === 'refused' ? null : { record: outcome.transaction, viewedAt, dryRun: true };
}

/** Runs a transaction without committing its changes. */
export function dryRun(
  args: {
    readonly txBytes: string;
    readonly txMeta?: TransactionMetadata | null | undefined;
    readonly skipChecks?: boolean | null | undefined;
  },
  { ledger, viewedAt }: GraphqlContext,
): DryRunModel {
  const { txMeta } = args;
  const bytes =
    txMeta == null
      ? parseTransactionBytes(args.txBytes, parseTransactionData)
      : withMetadata(args.txBytes, txMeta, ledger.referenceGasPrice);
  return { outcome: ledger.dryRun(bytes, { skipChecks: args.skipChecks ?? false }), viewedAt };
}

/** Adds the missing transaction data to a bare transaction kind. */
function withMetadata(txBytes: string, meta: TransactionMetadata, referenceGasPrice: bigint): Uint8Array {
  const kindBytes = parseTransactionBytes(txBytes, parseTransactionKind);
  return withinInput('TransactionMetadata', () => {
    const sender = meta.sender == null ? zeroAddress : parseLedgerAddress(meta.sender);
    return encodeTransactionData({
      kind: parseTransactionKind(kindBytes),
      sender,
      gas: {
        payment: (meta.gasObjects ?? []).map(toStateRef),
        owner: meta.gasSponsor == null ? sender : parseLedgerAddress(meta.gasSponsor),
        price: meta.gasPrice == null ? referenceGasPrice : BigInt(parseUInt53(meta.gasPrice)),
        budget: meta.gasBudget == null ? gasSchedule.maxBudget : BigInt(parseUInt53(meta.gasBudget)),
      },
      expirationEpoch: null,
    });
  });
}

function toStateRef(ref: ObjectRef) {
  return {
    objectId: parseLedgerAddress(ref.address),
    version: parseUInt53(ref.version),
    digest: parseDigest(ref.digest),
  };
}

function parseTransactionBytes(text: string, parse: (bytes: Uint8Array) => unknown): Uint8Array {
  const bytes = decodeBase64(text, (reason) => `Unable to deserialize transaction bytes from Base64: ${reason}`);
  try {
    parse(bytes);
  } catch (error) {
    throw inputRefusal(`Unable to deserialize transaction bytes as BCS: ${reasonOf(error)}`);
  }
  return bytes;
}

function decodeBase64(text: string, message: (reason: string) => string): Uint8Array {
  try {
    return base64.decode(text);
  } catch (error) {
    throw inputRefusal(message(reasonOf(error)));
  }
}
