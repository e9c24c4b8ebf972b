import { admitDocument, type PreparedDocument } from '../documents/prepared-document.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import type { FairTurns } from '../operation/fair-turns.ts';
import type { PreparedOperation, ServedGeneration } from '../operation/prepared-operation.ts';
import type { Telemetry } from '../telemetry/events.ts';

export interface PrepareTrustedOptions {
  readonly trusted: Pick<TrustedDocuments, 'documents'>;
  readonly generation: () => Pick<ServedGeneration, 'origin' | 'limits' | 'documents'>;
  readonly turns: Pick<FairTurns, 'run'>;
  readonly telemetry: Pick<Telemetry, 'documentsBroken' | 'errorMasked'>;
}

/** The share of preparation in the fair turns of callers. */
const turnKey = 'trusted documents';
const client = { onGone: () => {} };

/**
 * Prepares the trusted documents on the generation in force, in turns beside requests, and logs those that it rejects. Call
 * `start` for each generation and each manifest; it ends an earlier run.
 */
export function createPrepareTrusted({ trusted, generation, turns, telemetry }: PrepareTrustedOptions) {
  let runs = 0;
  let known: ReadonlySet<string> = new Set();

  const prepare = async (run: number): Promise<void> => {
    const { documents } = trusted;
    const { origin, limits, documents: store } = generation();
    // Without the ledger's schema, its fields are unknown.
    if (origin === 'none') return;
    const broken = new Map<string, string>();
    const preparing = store.pin(documents.map(({ text }) => text));
    for (const { id, name } of documents) {
      const step = await turns.run(turnKey, client, () => preparing.next());
      if (run !== runs || step.done) return;
      const [error] = admitDocument(step.value, {}, limits).errors;
      const reason = error ?? refusalOf(step.value);
      if (reason) broken.set(id, `${name ?? id}: ${reason.message}`);
    }
    preparing.next();
    const found = [...broken].filter(([id]) => !known.has(id)).map(([, text]) => text);
    known = new Set(broken.keys());
    if (found.length > 0) telemetry.documentsBroken(found);
  };

  return {
    start(): void {
      runs += 1;
      prepare(runs).catch((error: unknown) => telemetry.errorMasked(error, undefined));
    },
    stop(): void {
      runs += 1;
    },
  };
}

function refusalOf(prepared: PreparedDocument<PreparedOperation>): PreparedOperation['refusal'] {
  return prepared.kind === 'readable' ? (prepared.operation(null)?.refusal ?? null) : null;
}
