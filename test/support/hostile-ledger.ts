import { GraphQLError } from 'graphql';
import type { OnChain } from './hostile-sponsor.ts';
import { type ScriptedLedger, startScriptedLedger } from './scripted-ledger.ts';

/** How it responds to the lookup of a transaction. `lags`: it does not have the transaction yet. */
export type LookUpManner = 'knows' | 'lags' | 'refuses' | 'fails' | 'hangs' | 'hangs up';

export interface HostileLedger extends AsyncDisposable {
  readonly url: string;
  manner: LookUpManner;
  /** Lookups so far. */
  readonly lookUps: number;
}

const typeDefs = `
  scalar BigInt
  type Query { chainIdentifier: String! transactionBlock(digest: String): TransactionBlock }
  type TransactionBlock { digest: String effects: TransactionBlockEffects }
  type TransactionBlockEffects { status: ExecutionStatus gasEffects: GasEffects }
  enum ExecutionStatus { SUCCESS FAILURE }
  type GasEffects { gasSummary: GasCostSummary }
  type GasCostSummary { computationCost: BigInt storageCost: BigInt storageRebate: BigInt nonRefundableStorageFee: BigInt }
`;

/** A ledger that contains what the sponsor executed, and may return it late or not at all. */
export async function startHostileLedger(chain: ReadonlyMap<string, OnChain>): Promise<HostileLedger> {
  let manner: LookUpManner = 'knows';
  let lookUps = 0;
  const ledger: ScriptedLedger = await startScriptedLedger(typeDefs, {
    Query: {
      chainIdentifier: () => '35834a8a',
      transactionBlock(_, { digest }: { digest: string }) {
        if (manner === 'refuses') throw new GraphQLError('The indexer is behind.');
        const found = manner === 'lags' ? undefined : chain.get(digest);
        if (!found) return null;
        const { computation, storage, rebate } = found.gas;
        const gasSummary = {
          computationCost: String(computation),
          storageCost: String(storage),
          storageRebate: String(rebate),
          nonRefundableStorageFee: '0',
        };
        return { digest, effects: { status: found.succeeded ? 'SUCCESS' : 'FAILURE', gasEffects: { gasSummary } } };
      },
    },
  });
  ledger.override = (query) => {
    if (!query.includes('transactionBlock')) return undefined;
    lookUps += 1;
    if (manner === 'hangs') return 'hang';
    if (manner === 'hangs up') return 'reset';
    return manner === 'fails' ? { status: 500, body: 'boom', type: 'text/plain' } : undefined;
  };
  return {
    url: ledger.url,
    get manner() {
      return manner;
    },
    set manner(next) {
      manner = next;
    },
    get lookUps() {
      return lookUps;
    },
    [Symbol.asyncDispose]: () => ledger.close(),
  };
}
