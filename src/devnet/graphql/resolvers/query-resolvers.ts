import { base64 } from '@scure/base';
import type { CheckpointId, DevnetGasCoinInput } from '../../generated/ledger.ts';
import { inputRefusal, withinInput } from '../arguments/parse-failure.ts';
import { parseDigest, parseLedgerAddress, parseUInt53 } from '../arguments/parse-scalars.ts';
import type { PageArguments } from '../connections/page.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import { toCheckpointConnection } from '../history/checkpoint-connection.ts';
import { type EventArguments, toEventConnection } from '../history/event-connection.ts';
import { type TransactionArguments, toTransactionConnection } from '../history/transaction-connection.ts';
import type { AddressModel, CoinMetadataModel } from '../models.ts';
import { parseType } from '../moves/parse-type.ts';
import { parseExactType } from '../moves/type-filter.ts';
import { dryRun } from './execution-resolvers.ts';
import { type CoinArguments, type ObjectArguments, toCoinConnection, toObjectConnection } from './owner-fields.ts';
import {
  checkpointAt,
  coinMetadataOf,
  epochAt,
  newestObject,
  objectAtVersion,
  visibleTransaction,
} from './visible-records.ts';

type Root = unknown;

export const queryResolvers = {
  Query: {
    chainIdentifier: (_: Root, _args: unknown, { ledger }: GraphqlContext) => ledger.chainIdentifier,
    availableRange: (_: Root, _args: unknown, { ledger, viewedAt }: GraphqlContext) => {
      if (viewedAt < ledger.firstAvailableCheckpoint()) {
        throw inputRefusal(`Requesting data at checkpoint ${viewedAt}, outside the available range.`);
      }
      return { viewedAt };
    },
    serviceConfig: () => ({}),
    epoch: (_: Root, args: { readonly id?: number | null | undefined }, context: GraphqlContext) => {
      const { ledger, viewedAt } = context;
      const current = ledger.checkpoint(viewedAt)?.epoch ?? ledger.latestEpoch().epochId;
      return epochAt(context, args.id ?? current, viewedAt);
    },
    checkpoint: (_: Root, args: { readonly id?: CheckpointId | null | undefined }, context: GraphqlContext) =>
      findCheckpoint(args.id ?? {}, context),
    checkpoints: (_: Root, args: PageArguments, context: GraphqlContext) =>
      toCheckpointConnection(args, context, context.viewedAt),
    transactionBlock: (_: Root, args: { readonly digest: string }, context: GraphqlContext) =>
      visibleTransaction(context, parseDigest(args.digest), context.viewedAt),
    transactionBlocks: (_: Root, args: TransactionArguments, context: GraphqlContext) =>
      toTransactionConnection(args, {}, context, context.viewedAt),
    events: (_: Root, args: EventArguments, context: GraphqlContext) =>
      toEventConnection(args, context, context.viewedAt),
    object: (
      _: Root,
      args: { readonly address: string; readonly version?: number | null | undefined },
      context: GraphqlContext,
    ) => {
      const id = parseLedgerAddress(args.address);
      return args.version == null
        ? newestObject(context, id, context.viewedAt)
        : objectAtVersion(context, id, parseUInt53(args.version), context.viewedAt);
    },
    objects: (_: Root, args: ObjectArguments, context: GraphqlContext) =>
      toObjectConnection(args, context, context.viewedAt),
    address: (_: Root, args: { readonly address: string }, { viewedAt }: GraphqlContext): AddressModel => ({
      address: parseLedgerAddress(args.address),
      viewedAt,
    }),
    owner: (_: Root, args: { readonly address: string }, { viewedAt }: GraphqlContext): AddressModel => ({
      address: parseLedgerAddress(args.address),
      viewedAt,
    }),
    coins: (_: Root, args: CoinArguments, context: GraphqlContext) => toCoinConnection(args, context, context.viewedAt),
    coinMetadata: (_: Root, args: { readonly coinType: string }, context: GraphqlContext) =>
      coinMetadataOf(parseExactType(args.coinType, context.limits), context, context.viewedAt),
    type: (_: Root, args: { readonly type: string }, { limits }: GraphqlContext) => ({
      repr: parseType(args.type, limits),
    }),
    dryRunTransactionBlock: (_: Root, args: Parameters<typeof dryRun>[0], context: GraphqlContext) =>
      dryRun(args, context),
    devnetSignTransaction: (
      _: Root,
      args: {
        readonly sponsorAddress: string;
        readonly gasCoins: readonly DevnetGasCoinInput[];
        readonly gasBudget: number;
      },
      { signer }: GraphqlContext,
    ) => {
      const signed = signer({
        sponsorAddress: parseLedgerAddress(args.sponsorAddress),
        gasCoins: args.gasCoins.map(parseGasCoin),
        gasBudget: BigInt(parseUInt53(args.gasBudget)),
      });
      return { txBytes: base64.encode(signed.bytes), userSig: signed.signature, digest: signed.digest };
    },
  },
  AvailableRange: {
    first: ({ viewedAt }: { readonly viewedAt: number }, _: unknown, context: GraphqlContext) =>
      checkpointAt(context, context.ledger.firstAvailableCheckpoint(), viewedAt),
    last: ({ viewedAt }: { readonly viewedAt: number }, _: unknown, context: GraphqlContext) =>
      checkpointAt(context, viewedAt, viewedAt),
  },
  CoinMetadata: {
    address: ({ record }: CoinMetadataModel) => record.objectId,
    decimals: ({ record }: CoinMetadataModel) => record.decimals,
    name: ({ record }: CoinMetadataModel) => record.name,
    symbol: ({ record }: CoinMetadataModel) => record.symbol,
    description: ({ record }: CoinMetadataModel) => record.description,
    iconUrl: ({ record }: CoinMetadataModel) => record.iconUrl,
    supply: ({ record, viewedAt }: CoinMetadataModel, _: unknown, { ledger }: GraphqlContext) =>
      ledger.checkpoint(viewedAt)?.coinSupplies.get(record.coinType)?.toString() ?? null,
  },
};

function parseGasCoin(coin: DevnetGasCoinInput) {
  return withinInput('DevnetGasCoinInput', () => ({
    objectId: parseLedgerAddress(coin.objectId),
    version: parseUInt53(coin.version),
    digest: parseDigest(coin.digest),
  }));
}

function findCheckpoint(id: CheckpointId, context: GraphqlContext) {
  const { ledger, viewedAt } = context;
  const wanted = withinInput('CheckpointId', () => ({
    sequenceNumber: id.sequenceNumber == null ? undefined : parseUInt53(id.sequenceNumber),
    digest: id.digest == null ? undefined : parseDigest(id.digest),
  }));
  if (wanted.digest === undefined) return checkpointAt(context, wanted.sequenceNumber ?? viewedAt, viewedAt);
  const found = ledger.checkpointByDigest(wanted.digest);
  const agrees = wanted.sequenceNumber === undefined || found?.sequenceNumber === wanted.sequenceNumber;
  return found && agrees ? checkpointAt(context, found.sequenceNumber, viewedAt) : null;
}
