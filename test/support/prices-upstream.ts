import { url } from '../../src/config/value-types.ts';
import { gatewayError } from '../../src/errors/gateway-error.ts';
import type { OperationContext } from '../../src/upstream/operation-context.ts';
import type { OwnFieldsUpstream, UpstreamHost } from '../../src/upstream/upstream.ts';
import { toGatewayError } from '../../src/upstream/upstream-call-error.ts';

const name = 'prices';
const setting = {
  name: 'PRICES_URL',
  key: {
    type: url('http', 'https'),
    description: 'The base address of a service that knows what coins cost. Needs `LEDGER_GRAPHQL_URL`.',
  },
};

/**
 * An upstream unknown to the gateway's code: returns the price of a coin, with one call per coin, and the market that quotes
 * it.
 */
export const pricesUpstream: OwnFieldsUpstream<UpstreamHost> = {
  role: 'own fields',
  name,
  setting,
  addressOnDevnet: null,
  typeDefs: () => /* GraphQL */ `
    extend type Query {
      "What a coin costs; null with an error where nobody says."
      price(coin: String!): Price
      "Who says so; asked once, however often it is wanted."
      market: Market
    }
    "What something costs."
    type Price {
      "Decimal text."
      amount: String!
    }
    "Where prices are made."
    type Market {
      "Its name."
      name: String
    }
  `,

  connect(connection, { config }) {
    const read = async (path: string, { cancellation }: OperationContext): Promise<string> => {
      if (!connection) {
        const message = `Nobody knows prices: ${setting.name} is not set.`;
        throw gatewayError('NOT_CONFIGURED', message, { upstream: name, setting: setting.name });
      }
      const timeoutMs = config.timeouts.queryMs;
      try {
        const { status, body } = await connection.call({ method: 'GET', path, timeoutMs, cancellation });
        if (status === 200) return body.toString('utf8');
      } catch (error) {
        throw toGatewayError(error, name);
      }
      throw gatewayError('UPSTREAM_BAD_RESPONSE', 'The prices upstream has no price.', { upstream: name });
    };
    const markets = new WeakMap<OperationContext, Promise<string>>();
    const marketOf = (context: OperationContext) => {
      const market = markets.get(context) ?? read('/market', context);
      markets.set(context, market);
      return market;
    };
    return {
      resolvers: {
        Query: {
          price: async (_: unknown, { coin }: { readonly coin: string }, context: OperationContext) => ({
            amount: await read(`/price/${encodeURIComponent(coin)}`, context),
          }),
          market: () => ({}),
        },
        Market: { name: (_: unknown, __: unknown, context: OperationContext) => marketOf(context) },
      },
      version: () => '7.0.0-prices',
      probe: connection ? (timeoutMs) => connection.call({ method: 'GET', path: '/up', timeoutMs }) : undefined,
      capabilities: () => [
        { name: 'prices:market', available: connection !== null, reason: connection ? null : 'No address.' },
      ],
    };
  },

  callsOf({ name: field, selects }) {
    return field === 'price' ? { calls: 1 } : { calls: 0, shared: ['name'].filter(selects) };
  },
};
