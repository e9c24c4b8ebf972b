import type { Argument } from '../../transactions/transaction-bcs.ts';
import type { CallOutcome } from './move-call.ts';
import { ExecutionFailure } from './refusal.ts';
import type { ObjectAccess, ResolvedInput } from './resolve-inputs.ts';

/** The value of an argument while commands run. */
export type Value =
  | { readonly kind: 'pure'; readonly bytes: Uint8Array }
  | { readonly kind: 'object'; readonly objectId: string; readonly access: ObjectAccess | 'gas' | 'result' }
  /** The result of a Move call. Whether it is an object is unknown until a transfer shows that it is. */
  | { readonly kind: 'opaque'; readonly key: string; readonly returned: CallOutcome['returned'] };

export type CommandResult =
  | { readonly kind: 'values'; readonly values: readonly Value[] }
  | { readonly kind: 'call'; readonly returned: CallOutcome['returned'] };

/**
 * Turns arguments into values, from the inputs and the results so far. A fault fails the transaction at the running
 * command.
 */
export class CommandValues {
  readonly #inputs: readonly ResolvedInput[];
  readonly #gasCoinId: string;
  readonly #results: CommandResult[] = [];
  /** Objects and unknown results that were given away: they cannot be used again. */
  readonly #moved = new Set<string>();

  constructor(inputs: readonly ResolvedInput[], gasCoinId: string) {
    this.#inputs = inputs;
    this.#gasCoinId = gasCoinId;
  }

  push(result: CommandResult): void {
    this.#results.push(result);
  }

  /** @param position of the argument within its command, as status texts count it */
  resolve(argument: Argument, position: number): Value {
    const value = this.#find(argument, position);
    if (value.kind !== 'pure' && this.#moved.has(toKey(value))) throw this.fault(position, 'InvalidValueUsage');
    return value;
  }

  markMoved(value: Value): void {
    if (value.kind !== 'pure') this.#moved.add(toKey(value));
  }

  /** A failure of an argument of the running command. */
  fault(position: number, kind: string): ExecutionFailure {
    return this.failure(`CommandArgumentError { arg_idx: ${position}, kind: ${kind} }`);
  }

  /** A failure of the running command. */
  failure(what: string): ExecutionFailure {
    return new ExecutionFailure(`${what} in command ${this.#results.length}`);
  }

  /** Objects that commands made and no later command took, with where they came from. */
  leftOver(): { objectId: string; command: number; position: number }[] {
    return this.#results.flatMap((result, command) => {
      if (result.kind === 'call') return [];
      return result.values.flatMap((value, position) =>
        value.kind === 'object' && value.access === 'result' && !this.#moved.has(value.objectId)
          ? [{ objectId: value.objectId, command, position }]
          : [],
      );
    });
  }

  #find(argument: Argument, position: number): Value {
    switch (argument.kind) {
      case 'gasCoin':
        return { kind: 'object', objectId: this.#gasCoinId, access: 'gas' };
      case 'input': {
        const input = this.#inputs[argument.index];
        if (!input) throw this.fault(position, `IndexOutOfBounds { idx: ${argument.index} }`);
        if (input.kind === 'pure') return input;
        return { kind: 'object', objectId: input.record.objectId, access: input.access };
      }
      case 'result': {
        const result = this.#result(argument.index, position);
        if (result.kind === 'call') return { kind: 'opaque', key: `${argument.index}.0`, returned: result.returned };
        const [only, ...others] = result.values;
        if (!only || others.length > 0)
          throw this.fault(position, `InvalidResultArity { result_idx: ${argument.index} }`);
        return only;
      }
      case 'nestedResult': {
        const { index, resultIndex } = argument;
        const result = this.#result(index, position);
        if (result.kind === 'call')
          return { kind: 'opaque', key: `${index}.${resultIndex}`, returned: result.returned };
        const value = result.values[resultIndex];
        if (!value) {
          throw this.fault(
            position,
            `SecondaryIndexOutOfBounds { result_idx: ${index}, secondary_idx: ${resultIndex} }`,
          );
        }
        return value;
      }
    }
  }

  #result(index: number, position: number): CommandResult {
    const result = this.#results[index];
    if (!result) throw this.fault(position, `IndexOutOfBounds { idx: ${index} }`);
    return result;
  }
}

function toKey(value: Exclude<Value, { kind: 'pure' }>): string {
  return value.kind === 'object' ? value.objectId : value.key;
}
