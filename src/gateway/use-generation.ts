import type { Plugin } from 'graphql-yoga';
import type { SchemaKeeper } from './schema-keeper.ts';

/** Each operation runs on the generation in force when it arrived, and finishes on it. */
export function useGeneration(keeper: Pick<SchemaKeeper, 'current'>): Plugin {
  return {
    onEnveloped({ setSchema }) {
      setSchema(keeper.current.schema);
    },
  };
}
