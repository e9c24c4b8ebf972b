import { BcsType, bcs } from '@mysten/bcs';
import { ledgerBcs } from './ledger-bcs.ts';
import { taggedUnion } from './tagged-union.ts';
import { maxTypeDepth, type PrimitiveType, type StructTag, type TypeTag } from './type-tag.ts';

type TypeVariant =
  | { readonly kind: PrimitiveType }
  | { readonly kind: 'vector'; readonly element: TypeTag }
  | { readonly kind: 'struct'; readonly struct: StructTag };

const { address, identifier } = ledgerBcs;
const empty = bcs.struct('Empty', {});

/** One definition for each level of nesting, so that no input can make the reader go deeper. */
function typeTagOf(levels: number): BcsType<TypeTag> {
  if (levels === 0) return tooDeep;
  const inner = typeTagOf(levels - 1);
  const struct = bcs.struct('StructTag', {
    address,
    module: identifier,
    name: identifier,
    typeParameters: typeListOf(inner),
  });
  return taggedUnion<TypeVariant>('type variant', {
    bool: [0, empty],
    u8: [1, empty],
    u64: [2, empty],
    u128: [3, empty],
    address: [4, empty],
    signer: [5, empty],
    vector: [6, bcs.struct('Vector', { element: inner })],
    struct: [7, bcs.struct('Struct', { struct })],
    u16: [8, empty],
    u32: [9, empty],
    u256: [10, empty],
  }).transform({
    name: 'TypeTag',
    input: (tag: TypeTag): TypeVariant => (tag.kind === 'primitive' ? { kind: tag.name } : tag),
    output: (tag): TypeTag =>
      tag.kind === 'vector' || tag.kind === 'struct' ? tag : { kind: 'primitive', name: tag.kind },
  });
}

/**
 * Elements are read one by one: the library would allocate the whole list at once, and a forged length could be
 * repeated at every level.
 */
function typeListOf(item: BcsType<TypeTag>): BcsType<readonly TypeTag[]> {
  const vector = bcs.vector(item);
  return new BcsType<readonly TypeTag[]>({
    name: vector.name,
    read: (reader) => reader.readVec(() => item.read(reader)),
    write: (tags, writer) => vector.write(tags, writer),
  });
}

const refuse = (): never => {
  throw new TypeError(`a type is nested deeper than ${maxTypeDepth}`);
};
const tooDeep = new BcsType<TypeTag>({ name: 'TypeTag', read: refuse, write: refuse });

export const typeTagBcs = typeTagOf(maxTypeDepth);
