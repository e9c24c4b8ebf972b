import { parseTypeTag, toTypeText } from '../transactions/type-text.ts';
import { invalidParams } from './rpc-error.ts';

/** The parts of a struct type that filters look at. */
export interface StructType {
  /** Defining package and module, `0x…::module`. */
  readonly module: string;
  readonly name: string;
  /** Type arguments with their brackets, empty if there are none. */
  readonly parameters: string;
}

/** @param type in canonical text, as records have it */
export function splitStructType(type: string): StructType {
  const bracket = type.indexOf('<');
  const path = bracket === -1 ? type : type.slice(0, bracket);
  const colons = path.lastIndexOf('::');
  return { module: path.slice(0, colons), name: path.slice(colons + 2), parameters: type.slice(path.length) };
}

/** Splits a struct type as a caller writes it. */
export function readStructType(where: string, type: string): StructType {
  const rule = `${where} must be package::module::Struct, with or without type arguments`;
  try {
    const tag = parseTypeTag(type);
    if (tag.kind !== 'struct') throw invalidParams(rule);
    return splitStructType(toTypeText(tag));
  } catch {
    throw invalidParams(rule);
  }
}
