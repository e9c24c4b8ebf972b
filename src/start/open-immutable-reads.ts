import { parse } from 'graphql';
import type { Config } from '../config/config.ts';
import { immutableFields } from '../ledger/immutable/immutable-fields.ts';
import { createImmutableReads, type ImmutableReads } from '../ledger/immutable/immutable-reads.ts';
import type { ConnectedGraph } from '../ledger/ledger-upstream.ts';

export interface OpenImmutableReadsOptions {
  readonly config: Pick<Config, 'immutableReads' | 'profile'>;
  readonly graph: Pick<ConnectedGraph, 'execute' | 'version'>;
  /** Called when all answers are forgotten. */
  readonly onClear: () => void;
  readonly now: () => number;
}

const networkQuery = parse('{ chainIdentifier }');

/** Memory for the ledger's answers that never change; `null` where it is turned off. */
export function openImmutableReads({ config, graph, onClear, now }: OpenImmutableReadsOptions): ImmutableReads | null {
  const { maxBytes, lifeMs } = config.immutableReads;
  if (maxBytes === 0) return null;
  return createImmutableReads({
    maxBytes,
    lifeMs,
    tables: config.profile.immutableFields.map((name) => immutableFields[name]),
    version: graph.version,
    async askNetwork() {
      const { data } = await graph.execute({ document: networkQuery });
      return typeof data?.chainIdentifier === 'string' ? data.chainIdentifier : null;
    },
    onClear,
    now,
  });
}
