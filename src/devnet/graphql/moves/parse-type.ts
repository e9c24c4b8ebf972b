import type { TypeTag } from '../../../transactions/transaction-bcs.ts';
import { parseTypeTag, toTypeText } from '../../transactions/type-text.ts';
import { inputRefusal } from '../arguments/parse-failure.ts';
import { reasonOf } from '../arguments/parse-scalars.ts';
import type { GraphqlLimits } from '../graphql-limits.ts';

export type TypeLimits = Pick<GraphqlLimits, 'maxTypeArgumentDepth' | 'maxTypeArgumentWidth' | 'maxTypeNodes'>;

/** A type a client asks about → its canonical text, within the service's bounds. */
export function parseType(text: string, limits: TypeLimits): string {
  let tag: TypeTag;
  try {
    tag = parseTypeTag(text);
  } catch (error) {
    throw inputRefusal(`Bad type: ${reasonOf(error)}`);
  }
  checkTypeSize(tag, limits);
  return toTypeText(tag);
}

/** Refuses a type over the service's bounds. */
export function checkTypeSize(root: TypeTag, limits: TypeLimits): void {
  let nodes = 0;
  const visit = (tag: TypeTag, depth: number): void => {
    nodes += 1;
    if (nodes > limits.maxTypeNodes) throw tooLarge('total type nodes', limits.maxTypeNodes);
    if (depth > limits.maxTypeArgumentDepth) throw tooLarge('type argument depth', limits.maxTypeArgumentDepth);
    const parameters = typeParametersOf(tag);
    if (parameters.length > limits.maxTypeArgumentWidth) {
      throw tooLarge('type argument width', limits.maxTypeArgumentWidth);
    }
    for (const parameter of parameters) visit(parameter, depth + 1);
  };
  visit(root, 1);
}

function typeParametersOf(tag: TypeTag): readonly TypeTag[] {
  if (tag.kind === 'struct') return tag.struct.typeParameters;
  return tag.kind === 'vector' ? [tag.element] : [];
}

function tooLarge(what: string, max: number) {
  return inputRefusal(`Bad type: ${what} is over ${max}`);
}
