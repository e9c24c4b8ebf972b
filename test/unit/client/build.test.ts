import { expect, test } from 'vitest';
import { resolveObjects } from '../../../src/client/build.ts';
import type { Client } from '../../../src/client/client.ts';

const id = (digit: number) => `0x${String(digit).repeat(64)}`;
const unresolved = (objectId: string, more: object = {}) => ({
  $kind: 'UnresolvedObject',
  UnresolvedObject: { objectId, ...more },
});
const argument = (Input: number) => ({ $kind: 'Input', Input });
const call = (name: string, ...inputs: number[]) => ({
  $kind: 'MoveCall',
  MoveCall: { package: '0x2a', module: 'm', function: name, arguments: inputs.map(argument) },
});

const objects: Readonly<Record<string, object>> = {
  [id(1)]: { version: 7, digest: 'd1', owner: { __typename: 'AddressOwner' } },
  [id(2)]: { version: 8, digest: 'd2', owner: { __typename: 'Shared', initialSharedVersion: 3 } },
  [id(3)]: { version: 9, digest: 'd3', owner: { __typename: 'ConsensusAddressOwner' } },
};
const receiving = { datatype: { package: `0x${'2'.padStart(64, '0')}`, module: 'transfer', type: 'Receiving' } };
const functions: Readonly<Record<string, readonly object[]>> = {
  look: [{ ref: '&', body: 'address' }],
  change: [{ ref: '&mut', body: 'address' }],
  receive: [{ ref: null, body: receiving }],
};

/** A ledger that describes functions, and what it was asked. */
function createLedger() {
  const asked: string[] = [];
  const request = async (document: string) => {
    asked.push(document);
    const fields = [...document.matchAll(/(_\d+):(?:object\(address:"(\w+)"\)|epoch)\{(.)/g)];
    return Object.fromEntries(
      fields.map(([text, name, address = '', begin]) => {
        if (text.includes('epoch')) return [name, { referenceGasPrice: '750' }];
        if (begin === 'v') {
          const found = objects[address];
          const isAskedForParty = document.includes('startVersion');
          const owner = { __typename: 'ConsensusAddressOwner', startVersion: 4 };
          return [name, address === id(3) && isAskedForParty ? { ...found, owner } : (found ?? null)];
        }
        const [, target = ''] = /function\(name:"(\w+)"/.exec(document.slice(document.indexOf(`${name}:`))) ?? [];
        const parameters = functions[target]?.map((signature) => ({ signature }));
        return [name, parameters ? { asMovePackage: { module: { function: { parameters } } } } : null];
      }),
    );
  };
  return { asked, plugin: resolveObjects({ request } as unknown as Client) };
}

async function build(inputs: unknown[], commands: unknown[], onlyTransactionKind = false) {
  const { asked, plugin } = createLedger();
  const transaction = { inputs, commands, gasData: { price: null as unknown } };
  let isContinued = false;
  await plugin(transaction, { onlyTransactionKind }, async () => {
    isContinued = true;
  });
  expect(isContinued).toBe(true);
  return { ...transaction, asked };
}

const sharedAt = (objectId: string, initialSharedVersion: string, mutable: boolean) => ({
  $kind: 'Object',
  Object: { $kind: 'SharedObject', SharedObject: { objectId, initialSharedVersion, mutable } },
});

test.each([
  ['only read', [call('look', 0)], false],
  ['read and changed', [call('look', 0), call('change', 0)], true],
  ['passed to a function that the ledger does not describe', [call('unknown', 0)], true],
  ['merged', [{ $kind: 'MergeCoins', MergeCoins: { destination: argument(0), sources: [] } }], true],
  ['an element of a vector', [{ $kind: 'MakeMoveVec', MakeMoveVec: { type: null, elements: [argument(0)] } }], true],
])('a shared object that is %s is mutable: %j', async (_, commands, mutable) => {
  const { inputs } = await build([unresolved(id(2))], commands);
  expect(inputs).toEqual([sharedAt(id(2), '3', mutable)]);
});

test('the clock is never mutable', async () => {
  const { inputs } = await build([unresolved('0x6', { initialSharedVersion: 1 })], [call('unknown', 0)]);
  expect(inputs).toEqual([sharedAt('0x6', '1', false)]);
});

test('an owned object is taken at its version, or received if a function receives it', async () => {
  const { inputs, gasData } = await build(
    [unresolved(id(1)), unresolved(id(1))],
    [call('look', 0), call('receive', 1)],
  );
  const reference = { objectId: id(1), version: '7', digest: 'd1' };
  expect(inputs).toEqual([
    { $kind: 'Object', Object: { $kind: 'ImmOrOwnedObject', ImmOrOwnedObject: reference } },
    { $kind: 'Object', Object: { $kind: 'Receiving', Receiving: reference } },
  ]);
  expect(gasData.price).toBe('750');
});

test('an object that a party owns is a shared one', async () => {
  expect((await build([unresolved(id(3))], [call('look', 0)])).inputs).toEqual([sharedAt(id(3), '4', false)]);
});

test('reads nothing of a resolved transaction, and no price for its kind alone', async () => {
  const pure = { $kind: 'Pure', Pure: { bytes: 'AA==' } };
  const known = unresolved(id(9), { initialSharedVersion: 5, mutable: false });
  const { inputs, asked, gasData } = await build([pure, known], [], true);
  expect(inputs).toEqual([pure, sharedAt(id(9), '5', false)]);
  expect([asked, gasData.price]).toEqual([[], null]);
});

test('asks for 60 objects in three requests, each once', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `0x${(index + 16).toString(16).padStart(64, '0')}`);
  const { plugin, asked } = createLedger();
  const inputs = [...names, ...names].map((name) => unresolved(name));
  const built = plugin({ inputs, commands: [], gasData: { price: '1' } }, {}, async () => {});
  await expect(built).rejects.toThrow(`The ledger does not have ${names.join(', ')}.`);
  expect(asked).toHaveLength(3);
});

test.each([
  [[unresolved('0x1"){digest} x:object(address:"0x2')], []],
  [[unresolved('@mvr/app')], []],
  [
    [unresolved(id(1))],
    [{ $kind: 'MoveCall', MoveCall: { package: '0x1', module: 'a"b', function: 'f', arguments: [argument(0)] } }],
  ],
])('sends nothing of an id or a name that is none: %j', async (inputs, commands) => {
  const { plugin, asked } = createLedger();
  const built = plugin({ inputs, commands, gasData: { price: '1' } }, {}, async () => {});
  await expect(built).rejects.toThrow('Not an id or a name of the ledger');
  expect(asked).toEqual([]);
});
