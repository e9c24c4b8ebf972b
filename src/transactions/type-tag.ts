import { BcsType, bcs } from '@mysten/bcs';
import { ledgerBcs } from './ledger-bcs.ts';
import { listOf, taggedUnion } from './tagged-union.ts';

/** A Move type without type parameters. */
export type TypeTag =
  | { readonly kind: 'primitive'; readonly name: PrimitiveType }
  | { readonly kind: 'vector'; readonly element: TypeTag }
  | { readonly kind: 'struct'; readonly struct: StructTag };

export interface StructTag {
  readonly address: string;
  readonly module: string;
  readonly name: string;
  readonly typeParameters: readonly TypeTag[];
}

export const primitives = ['bool', 'u8', 'u16', 'u32', 'u64', 'u128', 'u256', 'address', 'signer'] as const;
export type PrimitiveType = (typeof primitives)[number];

/** Networks reject types that are nested deeper. */
export const maxTypeDepth = 16;

type TypeVariant =
  | { readonly kind: PrimitiveType }
  | { readonly kind: 'vector'; readonly element: TypeTag }
  | { readonly kind: 'struct'; readonly struct: StructTag };

const { address, identifier } = ledgerBcs;

/** The networks' limit. */
const maxTypeParameters = 32;
const primitiveTags = Object.fromEntries(
  primitives.map((name) => [name, Object.freeze({ kind: 'primitive', name })]),
) as Readonly<Record<PrimitiveType, TypeTag>>;

/** One definition for each level of nesting, so that no input can recurse deeper. */
function typeTagOf(levels: number): BcsType<TypeTag> {
  if (levels === 0) return tooDeep;
  const inner = typeTagOf(levels - 1);
  const struct = bcs.struct('StructTag', {
    address,
    module: identifier,
    name: identifier,
    typeParameters: listOf('type parameters', inner, maxTypeParameters),
  });
  return taggedUnion<TypeVariant>('type variant', {
    bool: [0, null],
    u8: [1, null],
    u64: [2, null],
    u128: [3, null],
    address: [4, null],
    signer: [5, null],
    vector: [6, bcs.struct('Vector', { element: inner })],
    struct: [7, bcs.struct('Struct', { struct })],
    u16: [8, null],
    u32: [9, null],
    u256: [10, null],
  }).transform({
    name: 'TypeTag',
    input: (tag: TypeTag): TypeVariant => (tag.kind === 'primitive' ? { kind: tag.name } : tag),
    output: (tag): TypeTag => (tag.kind === 'vector' || tag.kind === 'struct' ? tag : primitiveTags[tag.kind]),
  });
}

const refuse = (): never => {
  throw new TypeError(`a type is nested deeper than ${maxTypeDepth}`);
};
const tooDeep = new BcsType<TypeTag>({ name: 'TypeTag', read: refuse, write: refuse });

export const typeTagBcs = typeTagOf(maxTypeDepth);
