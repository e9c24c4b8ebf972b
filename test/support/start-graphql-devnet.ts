import { type Devnet, type DevnetOptions, startDevnet } from '../../src/devnet/start-devnet.ts';

export interface LedgerAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
  readonly data: any;
  readonly errors:
    | readonly {
        readonly message: string;
        readonly path?: readonly (string | number)[];
        readonly locations?: readonly { readonly line: number; readonly column: number }[];
        readonly extensions?: Readonly<Record<string, unknown>>;
      }[]
    | undefined;
  readonly extensions: { readonly usage?: Readonly<Record<string, number>> } | undefined;
  readonly text: string;
}

export interface GraphqlDevnet extends AsyncDisposable {
  readonly devnet: Devnet;
  /** One GraphQL request over HTTP, its response parsed. */
  query(query: string, variables?: object, headers?: Record<string, string>): Promise<LedgerAnswer>;
  /** The same; throws unless there is data and no error. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
  data(query: string, variables?: object): Promise<any>;
  /** Lets the simulated users act, and closes the checkpoint. */
  step(transactions?: number): void;
}

/** A small seeded network whose clock a test moves. */
export async function startGraphqlDevnet(options: Partial<DevnetOptions> = {}): Promise<GraphqlDevnet> {
  let now = 1_800_000_000_000;
  const devnet = await startDevnet({
    sponsorToken: 'token-of-this-test',
    seed: 7,
    clock: () => now,
    checkpointIntervalMs: 0,
    genesis: { checkpoints: 60, checkpointsPerEpoch: 20, sponsorCoins: 60 },
    ...options,
  });

  const query = async (text: string, variables?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(devnet.graphqlUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: text, variables }),
    });
    return toAnswer(response);
  };

  return {
    devnet,
    query,
    data: async (text, variables) => {
      const answer = await query(text, variables);
      if (answer.errors || !answer.data) throw new Error(`No data for ${text}: ${answer.text}`);
      return answer.data;
    },
    step: (transactions = 1) => {
      for (let count = transactions; count > 0; count -= 1) devnet.act();
      now += 1000;
      devnet.ledger.closeCheckpoint();
    },
    [Symbol.asyncDispose]: () => devnet.close(),
  };
}

export async function toAnswer(response: Response): Promise<LedgerAnswer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const { data, errors, extensions } = isJson ? JSON.parse(text) : {};
  return { status: response.status, headers: response.headers, data, errors, extensions, text };
}
