import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDevnetAccounts } from '../../src/devnet/genesis/accounts.ts';
import { createActivity } from '../../src/devnet/genesis/activity.ts';
import { createDevnetContracts } from '../../src/devnet/genesis/contracts.ts';
import type { GenesisOptions } from '../../src/devnet/genesis/genesis-options.ts';
import { createRpcFace, type RpcFaceOptions } from '../../src/devnet/rpc/rpc-face.ts';
import { createLedger } from '../../src/devnet/state/ledger.ts';
import type { Ledger } from '../../src/devnet/state/ledger-state.ts';
import type { CheckpointRecord } from '../../src/devnet/state/records.ts';

const seed = 7;

export interface RpcDevnet extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly url: string;
  readonly contracts: ReturnType<typeof createDevnetContracts>;
  /** Lets the simulated users act, and closes the checkpoint. */
  step(transactions?: number): CheckpointRecord;
  /** One JSON-RPC call over HTTP: the whole response. */
  call(method: string, ...params: unknown[]): Promise<RpcAnswer>;
}

export interface RpcAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A small seeded ledger with only its JSON-RPC interface, on a free port, whose clock a test moves. */
export async function startRpcDevnet(
  genesis: Partial<GenesisOptions> = { checkpoints: 60, checkpointsPerEpoch: 20 },
  options: Omit<RpcFaceOptions, 'ledger'> = {},
): Promise<RpcDevnet> {
  let now = 1_800_000_000_000;
  const ledger = createLedger({ seed, clock: () => now, genesis });
  const contracts = createDevnetContracts(seed);
  const activity = createActivity({ ledger, accounts: createDevnetAccounts(seed), contracts, seed, sequenceSeed: 99 });
  const face = createRpcFace({ ledger, ...options });
  const server = createServer((req, res) => void face.handle(req, res));
  server.on('upgrade', (req, socket, head) => face.upgrade?.(req, socket, head));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ledger,
    url,
    contracts,
    step: (transactions = 1) => {
      for (let count = transactions; count > 0; count -= 1) {
        const { bytes, signatures } = activity.next();
        const outcome = ledger.execute(bytes, signatures());
        if (outcome.kind === 'refused') throw new Error(outcome.message);
      }
      now += 1000;
      return ledger.closeCheckpoint();
    },
    call: async (method, ...params) => {
      const response = await fetch(url, {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return response.json() as Promise<RpcAnswer>;
    },
    [Symbol.asyncDispose]: async () => {
      await face.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
