import { readFileSync } from 'node:fs';
import { buildSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';

test('every type, field, argument and value of the graph says what it means', () => {
  const schema = buildSchema(readFileSync('schema/public.graphql', 'utf8'));
  const silent: string[] = [];
  const look = (place: string, { description }: { readonly description?: string | null | undefined }) => {
    if (!description?.trim()) silent.push(place);
  };
  let seen = 0;
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    seen += 1;
    look(type.name, type);
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) {
        look(`${type.name}.${field.name}`, field);
        for (const argument of field.args) look(`${type.name}.${field.name}(${argument.name})`, argument);
      }
    } else if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) look(`${type.name}.${field.name}`, field);
    } else if (isEnumType(type)) {
      for (const value of type.getValues()) look(`${type.name}.${value.name}`, value);
    }
  }
  expect(silent).toEqual([]);
  expect(seen).toBeGreaterThan(100);
});
