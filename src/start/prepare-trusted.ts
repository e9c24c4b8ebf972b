import { admitDocument, type PreparedDocument } from '../documents/prepared-document.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import { createPrepareInTurns, type PrepareInTurnsOptions } from '../operation/prepare-in-turns.ts';
import type { PreparedOperation, ServedGeneration } from '../operation/prepared-operation.ts';
import type { Telemetry } from '../telemetry/events.ts';

export interface PrepareTrustedOptions extends Omit<PrepareInTurnsOptions, 'turnKey'> {
  readonly trusted: Pick<TrustedDocuments, 'documents'>;
  readonly generation: () => Pick<ServedGeneration, 'origin' | 'limits' | 'documents'>;
  readonly telemetry: Pick<Telemetry, 'documentsBroken' | 'errorMasked'>;
}

/**
 * Prepares the trusted documents on the generation in force, in turns beside requests, and logs those that it rejects. Call
 * `start` for each generation and each manifest.
 */
export function createPrepareTrusted({ trusted, generation, telemetry, turns }: PrepareTrustedOptions) {
  let known: ReadonlySet<string> = new Set();

  function* prepareEach(): Generator<void, void> {
    const { documents } = trusted;
    const { origin, limits, documents: store } = generation();
    // Without the ledger's schema, its fields are unknown.
    if (origin === 'none') return;
    const broken = new Map<string, string>();
    const preparing = store.pin(documents.map(({ text }) => text));
    for (const { id, name } of documents) {
      const step = preparing.next();
      if (step.done) return;
      const [error] = admitDocument(step.value, {}, limits).errors;
      const reason = error ?? refusalOf(step.value);
      if (reason) broken.set(id, `${name ?? id}: ${reason.message}`);
      yield;
    }
    preparing.next();
    const found = [...broken].filter(([id]) => !known.has(id)).map(([, text]) => text);
    known = new Set(broken.keys());
    if (found.length > 0) telemetry.documentsBroken(found);
  }

  return createPrepareInTurns({ turns, telemetry, turnKey: 'trusted documents' }, prepareEach);
}

function refusalOf(prepared: PreparedDocument<PreparedOperation>): PreparedOperation['refusal'] {
  return prepared.kind === 'readable' ? (prepared.operation(null)?.refusal ?? null) : null;
}
