import type { TypeTag } from '../../../transactions/transaction-bcs.ts';
import { parseTypeTag, toTypeText } from '../../transactions/type-text.ts';
import { serviceFault } from '../arguments/parse-failure.ts';
import { frameworkStructs, type MoveAbility, type StructDefinition } from './struct-definitions.ts';

/** How values of a type lie in BCS, as JSON. */
export type TypeLayout =
  | string
  | { readonly vector: TypeLayout }
  | {
      readonly struct: {
        readonly type: string;
        readonly fields: readonly { readonly name: string; readonly layout: TypeLayout }[];
      };
    };

/** Finds a struct by `package::module::Name`, the package's address in full; `undefined` when it is not known. */
export type FindStruct = (name: string) => StructDefinition | undefined;

/** @param repr a type's text, well-formed */
export function toTypeLayout(repr: string, find: FindStruct, maxDepth: number): TypeLayout {
  return layoutOf(parseTypeTag(repr), find, maxDepth);
}

function layoutOf(tag: TypeTag, find: FindStruct, maxDepth: number): TypeLayout {
  if (maxDepth <= 0) throw serviceFault('exceeded maximum depth of a Move value');
  if (tag.kind === 'primitive') return tag.name;
  if (tag.kind === 'vector') return { vector: layoutOf(tag.element, find, maxDepth - 1) };
  const type = toTypeText(tag);
  const { fields } = definitionOf(tag, find);
  if (fields === null) throw serviceFault(`Layout not known: ${type}`);
  return {
    struct: {
      type,
      fields: fields.map(({ name, type: written }) => ({
        name,
        layout: layoutOf(parseTypeTag(withArguments(written, tag.struct.typeParameters)), find, maxDepth - 1),
      })),
    },
  };
}

/** @param repr a type's text, well-formed */
export function toAbilities(repr: string, find: FindStruct): readonly MoveAbility[] {
  return abilitiesOf(parseTypeTag(repr), find);
}

function abilitiesOf(tag: TypeTag, find: FindStruct): readonly MoveAbility[] {
  if (tag.kind === 'primitive') return tag.name === 'signer' ? ['DROP'] : ['COPY', 'DROP', 'STORE'];
  if (tag.kind === 'vector') return granted(['COPY', 'DROP', 'STORE'], [tag.element], find);
  const { abilities, isPhantom } = definitionOf(tag, find);
  return isPhantom ? abilities : granted(abilities, tag.struct.typeParameters, find);
}

/** A container can be copied, dropped and stored if its content can; it can be a key if its content can be stored. */
function granted(
  declared: readonly MoveAbility[],
  content: readonly TypeTag[],
  find: FindStruct,
): readonly MoveAbility[] {
  const ofContent = content.map((tag) => abilitiesOf(tag, find));
  return declared.filter((ability) =>
    ofContent.every((abilities) => abilities.includes(ability === 'KEY' ? 'STORE' : ability)),
  );
}

function definitionOf(tag: Extract<TypeTag, { kind: 'struct' }>, find: FindStruct): StructDefinition {
  const { address, module, name } = tag.struct;
  const path = `${address}::${module}::${name}`;
  const definition = frameworkStructs.get(path) ?? find(path);
  if (!definition) throw serviceFault(`Type not found: ${path}`);
  return definition;
}

function withArguments(type: string, given: readonly TypeTag[]): string {
  return type.replace(/\bT(\d)\b/g, (placeholder, index: string) => {
    const tag = given[Number(index)];
    return tag ? toTypeText(tag) : placeholder;
  });
}
