import { toSchemaFingerprint } from '../subschemas/ledger/schema-fingerprint.ts';
import {
  buildGeneration,
  type Generation,
  type GenerationOptions,
  type LedgerSource,
  SchemaCollisionError,
} from './generation.ts';

export interface GenerationHolder<Operation = unknown> {
  readonly current: Generation<Operation>;
  /**
   * Does nothing if the schema is in force already.
   * @throws SchemaCollisionError when it collides; the generation in force stays
   */
  adopt(source: LedgerSource): void;
}

/**
 * Holds the generation in force. Builds another one only for a new schema, because building blocks every request.
 * @param onReplaced called with each generation but the first, which has no ledger
 */
export function createGenerationHolder<Operation>(
  options: GenerationOptions<Operation>,
  onReplaced: (generation: Generation<Operation>) => void,
): GenerationHolder<Operation> {
  let current = buildGeneration(null, options);
  let refused: { readonly fingerprint: string; readonly error: SchemaCollisionError } | null = null;

  const build = (source: LedgerSource, fingerprint: string): Generation<Operation> => {
    // Known to collide: building it at every look would block requests for nothing.
    if (refused?.fingerprint === fingerprint) throw refused.error;
    try {
      return buildGeneration(source, options);
    } catch (error) {
      if (error instanceof SchemaCollisionError) refused = { fingerprint, error };
      throw error;
    }
  };

  return {
    get current() {
      return current;
    },
    adopt(source) {
      const { introspection, service, origin } = source;
      const fingerprint = toSchemaFingerprint(introspection, service);
      const isInForce = fingerprint === current.fingerprint;
      if (isInForce && origin === current.origin) return;
      current = isInForce ? { ...current, origin } : build(source, fingerprint);
      onReplaced(current);
    },
  };
}
