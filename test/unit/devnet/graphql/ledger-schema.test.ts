import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
  printType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { createLedgerSchema } from '../../../../src/devnet/graphql/ledger-schema.ts';
import { featureOf } from '../../../../src/devnet/graphql/validation/feature-rule.ts';

const schema = createLedgerSchema();
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
);

describe('the ledger’s graph', () => {
  test('has exactly these roots', () => {
    expect(Object.keys(schema.getQueryType()!.getFields()).sort()).toEqual([
      'address',
      'availableRange',
      'chainIdentifier',
      'checkpoint',
      'checkpoints',
      'coinMetadata',
      'coins',
      'devnetSignTransaction',
      'dryRunTransactionBlock',
      'epoch',
      'events',
      'object',
      'objects',
      'owner',
      'serviceConfig',
      'transactionBlock',
      'transactionBlocks',
      'type',
    ]);
    expect(Object.keys(schema.getMutationType()!.getFields())).toEqual(['executeTransactionBlock']);
    expect(schema.getSubscriptionType()).toBeUndefined();
  });

  test('describes every type, field, argument and value', () => {
    const silent = types.flatMap((type) => {
      const fields =
        isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
      const values = isEnumType(type) ? type.getValues() : [];
      const members = [...fields, ...values].filter(({ description }) => !description).map(({ name }) => name);
      const args = (isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []).flatMap(
        (field) => field.args.filter((arg) => !arg.description).map((arg) => `${field.name}(${arg.name})`),
      );
      const named = [...members, ...args].map((name) => `${type.name}.${name}`);
      return [...(type.description ? [] : [type.name]), ...named];
    });
    expect(silent).toEqual([]);
  });

  test('avoids the names that a gateway adds', () => {
    const reserved = /^(Rpc|Sponsor|Reserved|Live|Gateway|Estimate|Viewer|ExecuteTx|GasReservation)/;
    const inputs = [
      'EventQueryFilter',
      'MoveModuleFilter',
      'RecipientFilter',
      'TimeRangeFilter',
      'TransactionQueryFilter',
      'MoveFunctionFilter',
      'FromAndToFilter',
      'EventStreamFilter',
      'MoveEventModuleStreamFilter',
      'MoveEventFieldFilter',
      'TransactionStreamFilter',
    ];
    expect(types.map(({ name }) => name).filter((name) => reserved.test(name) || inputs.includes(name))).toEqual([]);
  });

  test('has the usual PageInfo', () => {
    const bare = printType(schema.getType('PageInfo')!)
      .replace(/\s*"""[\s\S]*?"""/g, '')
      .replace(/\s+/g, ' ')
      .trim();
    expect(bare).toBe(
      'type PageInfo { hasPreviousPage: Boolean! hasNextPage: Boolean! startCursor: String endCursor: String }',
    );
  });

  test('pages every connection by the same four arguments', () => {
    const wrong = types.filter(isObjectType).flatMap((type) =>
      Object.values(type.getFields())
        .filter((field) => /Connection!?$/.test(String(field.type)))
        .filter(
          (field) =>
            !['first: Int', 'after: String', 'last: Int', 'before: String'].every((wanted) =>
              field.args.some((arg) => `${arg.name}: ${arg.type}` === wanted),
            ),
        )
        .map((field) => `${type.name}.${field.name}`),
    );
    expect(wrong).toEqual([]);
  });

  test('resolves every field: by a resolver, or by a member its parent has by that name', () => {
    const plain = /^(PageInfo|DevnetSignedTransaction|\w+(Connection|Edge))$/;
    // Nothing here is one of these: they are of a feature that is off, or nothing ever becomes one.
    const neverMade =
      /^(SharedObjectDelete|ValidatorSet|ProtocolConfigs|ProtocolConfig\w+|StorageFund|SafeMode|SystemParameters)$/;
    const open = types.filter(isObjectType).flatMap((type) =>
      Object.values(type.getFields())
        .filter((field) => !field.resolve && !plain.test(type.name) && !neverMade.test(type.name))
        .filter((field) => featureOf(field.name) !== 'SYSTEM_STATE')
        .map((field) => `${type.name}.${field.name}`),
    );
    expect(open).toEqual([]);
  });
});
