import { Kind, type ValueNode } from 'graphql';

/** Levels of lists and objects in a literal; 0 for a scalar. */
export function nestingOf(literal: ValueNode): number {
  let deepest = 0;
  const open: { readonly value: ValueNode; readonly nesting: number }[] = [{ value: literal, nesting: 0 }];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { value, nesting } = entry;
    deepest = Math.max(deepest, nesting);
    if (value.kind === Kind.LIST) {
      deepest = Math.max(deepest, nesting + 1);
      for (const item of value.values) open.push({ value: item, nesting: nesting + 1 });
    } else if (value.kind === Kind.OBJECT) {
      deepest = Math.max(deepest, nesting + 1);
      for (const field of value.fields) open.push({ value: field.value, nesting: nesting + 1 });
    }
  }
  return deepest;
}
