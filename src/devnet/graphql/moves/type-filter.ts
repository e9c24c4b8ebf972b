import type { TypeTag } from '../../../transactions/transaction-bcs.ts';
import { parseTypeTag, toTypeText } from '../../transactions/type-text.ts';
import { parseFailure } from '../arguments/parse-failure.ts';
import { checkTypeSize, type TypeLimits } from './parse-type.ts';

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
const address = /^0x[0-9a-fA-F]{1,64}$/;

/**
 * `package[::module[::Type[<arguments>]]]` or a primitive → a test of canonical type text. A generic type without
 * arguments fits every instance.
 */
export function parseTypeFilter(text: string, limits: TypeLimits): (type: string) => boolean {
  const prefix = parsePrefix(text);
  if (prefix !== undefined) return (type) => type.startsWith(`${prefix}::`);
  const exact = canonicalType(text, limits);
  if (exact === undefined) {
    throw parseFailure(
      'String',
      'Invalid filter, expected: package[::module[::type[<type_params>]]] or primitive type',
    );
  }
  const instances = exact.endsWith('>') ? undefined : `${exact}<`;
  return (type) => type === exact || (instances !== undefined && type.startsWith(instances));
}

/** `package::module::Type[<arguments>]` or a primitive → its canonical text. */
export function parseExactType(text: string, limits: TypeLimits): string {
  const type = canonicalType(text, limits);
  if (type !== undefined) return type;
  throw parseFailure('String', 'Invalid filter, expected: package::module::type[<type_params>] or primitive type');
}

/** `package[::module]` → a test of the module that ran. */
export function parseModuleFilter(text: string): (packageId: string, module: string) => boolean {
  const [packageText = '', moduleText, ...rest] = text.split('::');
  const wellFormed = address.test(packageText) && (moduleText === undefined || identifier.test(moduleText));
  if (!wellFormed || rest.length > 0) throw parseFailure('String', 'Invalid filter, expected: package[::module]');
  const wanted = fullAddress(packageText);
  return (packageId, module) => packageId === wanted && (moduleText === undefined || module === moduleText);
}

/** `package[::module[::function]]` → a test of a Move call. */
export function parseFunctionFilter(
  text: string,
): (call: { readonly package: string; readonly module: string; readonly function: string }) => boolean {
  const [packageText = '', moduleText, functionText, ...rest] = text.split('::');
  const names = [moduleText, functionText].filter((name) => name !== undefined);
  if (!address.test(packageText) || !names.every((name) => identifier.test(name)) || rest.length > 0) {
    throw parseFailure('String', 'Invalid filter, expected: package[::module[::function]]');
  }
  const wanted = fullAddress(packageText);
  return (call) =>
    call.package === wanted &&
    (moduleText === undefined || call.module === moduleText) &&
    (functionText === undefined || call.function === functionText);
}

/** A bare package, or a package and a module, in canonical text. */
function parsePrefix(text: string): string | undefined {
  const [packageText = '', moduleText, ...rest] = text.split('::');
  if (rest.length > 0 || !address.test(packageText)) return undefined;
  if (moduleText === undefined) return fullAddress(packageText);
  return identifier.test(moduleText) ? `${fullAddress(packageText)}::${moduleText}` : undefined;
}

function canonicalType(text: string, limits: TypeLimits): string | undefined {
  let tag: TypeTag;
  try {
    tag = parseTypeTag(text);
  } catch {
    return undefined;
  }
  checkTypeSize(tag, limits);
  return toTypeText(tag);
}

function fullAddress(text: string): string {
  return `0x${text.slice(2).toLowerCase().padStart(64, '0')}`;
}
