import { toSchemaFingerprint } from '../subschemas/ledger/schema-fingerprint.ts';
import {
  buildGeneration,
  type Generation,
  type GenerationOptions,
  type LedgerSource,
  SchemaCollisionError,
} from './generation.ts';

export interface GenerationHolder<Operation = unknown> {
  /** The generation in force. */
  readonly current: Generation<Operation>;
  /**
   * Puts a ledger schema into force, unless it is the one in force already.
   * @throws SchemaCollisionError when it collides; the generation in force stays
   */
  adopt(source: LedgerSource): void;
}

/**
 * Holds the generation in force. Builds one only for a schema that is new: a build blocks every request.
 * @param onReplaced called with each generation that comes into force, but for the first, which has no ledger
 */
export function createGenerationHolder<Operation>(
  options: GenerationOptions<Operation>,
  onReplaced: (generation: Generation<Operation>) => void,
): GenerationHolder<Operation> {
  let current = buildGeneration(null, options);
  let refused: { readonly fingerprint: string; readonly error: SchemaCollisionError } | null = null;

  const build = (source: LedgerSource, fingerprint: string): Generation<Operation> => {
    // The same schema collides again: do not build it at every look.
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
