import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLedgerSchema } from '../../../src/devnet/graphql/ledger-schema.ts';
import { featureOf } from '../../../src/devnet/graphql/validation/feature-rule.ts';
import { type GraphqlDevnet, startGraphqlDevnet } from '../../support/start-graphql-devnet.ts';

let net: GraphqlDevnet;

beforeAll(async () => {
  net = await startGraphqlDevnet({ limits: { maxQueryPayloadSize: 20_000 } });
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

const schema = createLedgerSchema();

/** Where one of a type can be found: a query with `BODY` where its selections go. */
const wayTo: Readonly<Record<string, string>> = {
  Query: '{ BODY }',
  AvailableRange: '{ availableRange { BODY } }',
  ServiceConfig: '{ serviceConfig { BODY } }',
  Epoch: '{ epoch(id: 1) { BODY } }',
  Checkpoint: '{ checkpoint { BODY } }',
  GasCostSummary: '{ checkpoint { rollingGasSummary { BODY } } }',
  TransactionBlock: '{ transactionBlocks(last: 5) { nodes { BODY } } }',
  TransactionBlockEffects: '{ transactionBlocks(last: 5) { nodes { effects { BODY } } } }',
  GasInput: '{ transactionBlocks(last: 5) { nodes { gasInput { BODY } } } }',
  GasEffects: '{ transactionBlocks(last: 5) { nodes { effects { gasEffects { BODY } } } } }',
  ObjectChange: '{ transactionBlocks(last: 5) { nodes { effects { objectChanges { nodes { BODY } } } } } }',
  BalanceChange: '{ transactionBlocks(last: 5) { nodes { effects { balanceChanges { nodes { BODY } } } } } }',
  ProgrammableTransactionBlock:
    '{ transactionBlocks(last: 5) { nodes { kind { ... on ProgrammableTransactionBlock { BODY } } } } }',
  GenesisTransaction: '{ transactionBlocks(first: 1) { nodes { kind { ... on GenesisTransaction { BODY } } } } }',
  ConsensusCommitPrologueTransaction:
    '{ transactionBlocks(first: 5) { nodes { kind { ... on ConsensusCommitPrologueTransaction { BODY } } } } }',
  EndOfEpochTransaction:
    '{ transactionBlocks(filter: { kind: END_OF_EPOCH_TX }) { nodes { kind { ... on EndOfEpochTransaction { BODY } } } } }',
  Event: '{ events(last: 5) { nodes { BODY } } }',
  MoveModule: '{ events(last: 5) { nodes { sendingModule { BODY } } } }',
  MovePackage: '{ events(last: 5) { nodes { sendingModule { package { BODY } } } } }',
  MoveType: '{ coins(first: 2) { nodes { contents { type { BODY } } } } }',
  MoveValue: '{ coins(first: 2) { nodes { contents { BODY } } } }',
  Object: '{ objects(first: 50) { nodes { BODY } } }',
  MoveObject: '{ objects(first: 50) { nodes { asMoveObject { BODY } } } }',
  Coin: '{ coins(first: 2) { nodes { BODY } } }',
  CoinMetadata: '{ coinMetadata(coinType: "0x2::ledger::LEDGER") { BODY } }',
  AddressOwner: '{ objects(first: 50) { nodes { owner { ... on AddressOwner { BODY } } } } }',
  Shared: '{ objects(first: 50) { nodes { owner { ... on Shared { BODY } } } } }',
  Immutable: '{ objects(first: 50) { nodes { owner { ... on Immutable { BODY } } } } }',
  Address: '{ events(last: 5) { nodes { sender { BODY } } } }',
  Owner: '{ objects(first: 50) { nodes { owner { ... on AddressOwner { owner { BODY } } } } } }',
  Balance: '{ events(last: 5) { nodes { sender { balances { nodes { BODY } } } } } }',
};

/** Commands, inputs and arguments are looked for in the whole history. */
const inHistory = (part: string) =>
  `query ($after: String) { transactionBlocks(first: 50, after: $after, filter: { kind: PROGRAMMABLE_TX }) { pageInfo { hasNextPage endCursor } nodes { kind { ... on ProgrammableTransactionBlock { ${part} } } } } }`;
const wayInHistory: Readonly<Record<string, string>> = {
  OwnedOrImmutable: inHistory('inputs { nodes { ... on OwnedOrImmutable { BODY } } }'),
  SharedInput: inHistory('inputs { nodes { ... on SharedInput { BODY } } }'),
  Pure: inHistory('inputs { nodes { ... on Pure { BODY } } }'),
  MoveCallTransaction: inHistory('transactions { nodes { ... on MoveCallTransaction { BODY } } }'),
  TransferObjectsTransaction: inHistory('transactions { nodes { ... on TransferObjectsTransaction { BODY } } }'),
  SplitCoinsTransaction: inHistory('transactions { nodes { ... on SplitCoinsTransaction { BODY } } }'),
  Input: inHistory('transactions { nodes { ... on MoveCallTransaction { arguments { ... on Input { BODY } } } } }'),
  GasCoin: inHistory('transactions { nodes { ... on SplitCoinsTransaction { coin { ... on GasCoin { BODY } } } } }'),
  Result: inHistory(
    'transactions { nodes { ... on TransferObjectsTransaction { inputs { ... on Result { BODY } } } } }',
  ),
};

function selectionOf(field: GraphQLField<unknown, unknown>): string {
  const type = getNamedType(field.type);
  if (isLeafType(type)) return field.name;
  const inner = type.name.endsWith('Connection')
    ? 'pageInfo { hasPreviousPage hasNextPage startCursor endCursor } edges { cursor node { __typename } } nodes { __typename }'
    : '__typename';
  return `${field.name} { ${inner} }`;
}

const askable = (type: GraphQLObjectType) =>
  Object.values(type.getFields()).filter(
    (field) => !field.args.some(isRequiredArgument) && featureOf(field.name) !== 'SYSTEM_STATE',
  );

/** Counts objects with every member that was asked for. */
function countWhole(value: unknown, names: readonly string[]): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = names.every((name) => Object.hasOwn(value, name)) ? 1 : 0;
  return Object.values(value).reduce<number>((sum, member) => sum + countWhole(member, names), own);
}

const typeOf = (name: string) => {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new TypeError(`${name} is not an object type`);
  return type;
};

describe('every field resolves without an error on', () => {
  test.each(Object.keys(wayTo))('%s', async (name) => {
    const fields = askable(typeOf(name));
    const data = await net.data(wayTo[name]!.replace('BODY', fields.map(selectionOf).join(' ')));
    const names = fields.map((field) => field.name);
    expect(countWhole(data, names)).toBeGreaterThan(0);
  });

  test.each(Object.keys(wayInHistory))('%s', async (name) => {
    const fields = askable(typeOf(name));
    const query = wayInHistory[name]!.replace('BODY', fields.map(selectionOf).join(' '));
    let found = 0;
    for (let after: string | null = null, more = true; more; ) {
      const data: { transactionBlocks: { pageInfo: { hasNextPage: boolean; endCursor: string } } } = await net.data(
        query,
        { after },
      );
      found += countWhole(
        data,
        fields.map((field) => field.name),
      );
      ({ hasNextPage: more, endCursor: after } = data.transactionBlocks.pageInfo);
    }
    expect(found).toBeGreaterThan(0);
  });
});
