import { bcs } from '@mysten/bcs';
import { ledgerBcs, toFullAddress } from '../../transactions/ledger-bcs.ts';
import type {
  Argument,
  CallArg,
  ObjectRef,
  ProgrammableTransaction,
  TransactionCommand,
} from '../../transactions/transaction-bcs.ts';
import { zeroAddress } from './address.ts';
import { encodeBcs } from './encode-bcs.ts';
import { parseTypeTag } from './type-text.ts';

/** Collects inputs and commands of a programmable transaction; each method returns the argument that names what it added. */
export interface ProgrammableBuilder {
  readonly gasCoin: Argument;
  u8(value: number): Argument;
  u64(value: bigint | number): Argument;
  text(value: string): Argument;
  address(value: string): Argument;
  owned(object: ObjectRef): Argument;
  shared(objectId: string, mutable?: boolean): Argument;
  /** @param target `package::module::function` */
  call(target: string, args: readonly Argument[], typeArguments?: readonly string[]): Argument;
  split(coin: Argument, amount: Argument): Argument;
  merge(destination: Argument, sources: readonly Argument[]): void;
  transfer(objects: readonly Argument[], recipient: string): void;
  build(): ProgrammableTransaction;
}

const u8 = bcs.u8();
const string = bcs.string();

export function createProgrammableBuilder(): ProgrammableBuilder {
  const inputs: CallArg[] = [];
  const commands: TransactionCommand[] = [];
  const objects = new Map<string, Argument>();
  const addInput = (input: CallArg): Argument => ({ kind: 'input', index: inputs.push(input) - 1 });
  const addCommand = (command: TransactionCommand): Argument => ({ kind: 'result', index: commands.push(command) - 1 });
  const pures = new Map<string, Argument>();
  // Equal bytes may be shared by any number of arguments, whatever their types.
  const pure = (bytes: Uint8Array): Argument => {
    const key = Buffer.from(bytes).toString('latin1');
    const argument = pures.get(key) ?? addInput({ kind: 'pure', bytes });
    pures.set(key, argument);
    return argument;
  };
  // An object may be named by one input only, however often it is used.
  const addObject = (objectId: string, input: CallArg): Argument => {
    const argument = objects.get(objectId) ?? addInput(input);
    objects.set(objectId, argument);
    return argument;
  };

  return {
    gasCoin: { kind: 'gasCoin' },
    u8: (value) => pure(encodeBcs(u8, value)),
    u64: (value) => pure(encodeBcs(ledgerBcs.u64, value)),
    text: (value) => pure(encodeBcs(string, value)),
    address: (value) => pure(encodeBcs(ledgerBcs.address, value)),
    owned: ({ objectId, version, digest }) =>
      addObject(objectId, { kind: 'owned', ref: { objectId, version, digest } }),
    shared: (objectId, mutable = true) =>
      addObject(objectId, { kind: 'shared', objectId, initialSharedVersion: 1, mutable }),
    call: (target, args, typeArguments = []) => {
      const [packageId = zeroAddress, module = '', name = ''] = target.split('::');
      return addCommand({
        kind: 'moveCall',
        package: toFullAddress(packageId),
        module,
        function: name,
        typeArguments: typeArguments.map(parseTypeTag),
        arguments: args,
      });
    },
    split: (coin, amount) => addCommand({ kind: 'splitCoins', coin, amounts: [amount] }),
    merge: (destination, sources) => {
      addCommand({ kind: 'mergeCoins', destination, sources });
    },
    transfer(taken, recipient) {
      addCommand({ kind: 'transferObjects', objects: taken, recipient: this.address(recipient) });
    },
    build: () => ({ kind: 'PROGRAMMABLE_TX', inputs, commands }),
  };
}
