import type { ValueKind } from './config-key.ts';

/** What a transaction may call: a package, a module in it, or one function. */
const moveCall = /^0x([\da-f]{1,64})((?:::(?:[a-z][a-z\d_]{0,127}|_[a-z\d_]{1,127})){0,2})$/i;

export const moveCallRule = 'package::module::function, package::module or package, the package like 0x2';

/**
 * In the form in which it is compared: the package as 0x and 64 digits in lower case. `undefined` when the text is none.
 */
export function toMoveCall(text: string): string | undefined {
  const [, address, rest] = moveCall.exec(text) ?? [];
  return address === undefined ? undefined : `0x${address.toLowerCase().padStart(64, '0')}${rest}`;
}

/** Several of them, separated by commas. */
export const moveCallTargets: ValueKind<readonly string[]> = {
  expected: `what may be called, separated by commas, each ${moveCallRule}`,
  isList: true,
  parse: (text) => {
    const list = text.split(',').map((item) => toMoveCall(item.trim()));
    return list.every((each) => each !== undefined) ? [...new Set(list)] : undefined;
  },
};
