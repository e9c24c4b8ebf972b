import type { TypeTag } from '../../../transactions/transaction-bcs.ts';
import { parseTypeTag } from '../../transactions/type-text.ts';

/** A type taken apart, as JSON: a primitive's name, a vector's element, or a struct's parts. */
export type TypeSignature =
  | string
  | { readonly vector: TypeSignature }
  | {
      readonly datatype: {
        readonly package: string;
        readonly module: string;
        readonly type: string;
        readonly typeParameters: readonly TypeSignature[];
      };
    };

/** @param repr a type's text, well-formed */
export function toTypeSignature(repr: string): TypeSignature {
  return signatureOf(parseTypeTag(repr));
}

function signatureOf(tag: TypeTag): TypeSignature {
  if (tag.kind === 'primitive') return tag.name;
  if (tag.kind === 'vector') return { vector: signatureOf(tag.element) };
  const { address, module, name, typeParameters } = tag.struct;
  return {
    datatype: { package: address, module, type: name, typeParameters: typeParameters.map(signatureOf) },
  };
}
