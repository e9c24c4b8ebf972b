import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GenesisOptions } from '../../src/devnet/genesis/genesis-options.ts';
import { createSponsorFace, type SponsorFace, type SponsorFaceOptions } from '../../src/devnet/sponsor/sponsor-face.ts';
import { createDevnetSigner } from '../../src/devnet/transactions/devnet-signer.ts';
import type { ObjectRef } from '../../src/transactions/transaction-bcs.ts';
import { createSmallDevnet, type SmallDevnet } from './small-devnet.ts';

export const token = 'sponsor-token-of-the-tests';

export interface SponsorDevnet extends AsyncDisposable {
  readonly devnet: SmallDevnet;
  readonly face: SponsorFace;
  readonly url: string;
  /** POST of JSON, with the token by default. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  reserve(gasBudget?: number, seconds?: number): Promise<Reserved>;
  /** The body of an execution request, signed by the network's visitor. */
  signed(reserved: Reserved, gasBudget?: bigint): ExecuteBody & { readonly digest: string };
}

export interface Reserved {
  readonly sponsor_address: string;
  readonly reservation_id: number;
  readonly gas_coins: readonly ObjectRef[];
}

export interface ExecuteBody {
  readonly reservation_id: number;
  readonly tx_bytes: string;
  readonly user_sig: string;
}

export type SponsorDevnetOptions = Partial<Pick<SponsorFaceOptions, 'token' | 'dailyGasCap'>> & {
  readonly genesis?: Partial<GenesisOptions>;
};

/** A small ledger with only its sponsor interface, on a free port, whose clock a test moves. */
export async function startSponsorDevnet({
  genesis = {},
  ...options
}: SponsorDevnetOptions = {}): Promise<SponsorDevnet> {
  const devnet = createSmallDevnet(genesis);
  const { ledger, accounts, contracts } = devnet;
  const clock = () => devnet.now;
  const face = createSponsorFace({ ledger, clock, sponsor: accounts.sponsor, token, ...options });
  const sign = createDevnetSigner({ accounts, contracts, gasPrice: ledger.referenceGasPrice });
  const server = createServer((req, res) => void face.handle(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const post: SponsorDevnet['post'] = (path, body, headers = { authorization: `Bearer ${token}` }) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  return {
    devnet,
    face,
    url,
    post,
    reserve: async (gasBudget = 50_000_000, seconds = 60) => {
      const response = await post('/v1/reserve_gas', { gas_budget: gasBudget, reserve_duration_secs: seconds });
      const { result, error } = (await response.json()) as { result: Reserved | null; error: string | null };
      if (!result) throw new Error(error ?? 'no result');
      return result;
    },
    signed: (reserved, gasBudget = 50_000_000n) => {
      const { bytes, signature, digest } = sign({
        sponsorAddress: reserved.sponsor_address,
        gasCoins: reserved.gas_coins,
        gasBudget,
      });
      const tx_bytes = Buffer.from(bytes).toString('base64');
      return { reservation_id: reserved.reservation_id, tx_bytes, user_sig: signature, digest };
    },
    async [Symbol.asyncDispose]() {
      await face.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
