import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { Collector, type LiveResult, type Subscribe } from './live-clients.ts';

/** Subscribes with a client library. @param start subscribes, and returns the unsubscribe function */
class ByLibrary extends Collector {
  readonly #stop: () => unknown;

  constructor(start: (client: ByLibrary) => () => unknown) {
    super();
    this.#stop = start(this);
  }

  /** The library reports a failure. */
  failed(error: unknown): void {
    if (Array.isArray(error)) this.take({ errors: error });
    this.end ??= 'broken';
  }

  completed(): void {
    this.end ??= 'complete';
  }

  async leave(): Promise<void> {
    await this.#stop();
  }
}

const toSocketUrl = (url: string) => url.replace('http', 'ws');
const once = { retryAttempts: 0 };

const byGraphqlSse: Subscribe = (url, query, variables = {}) =>
  new ByLibrary((client) => {
    const library = createSseClient({ url, ...once });
    const stop = library.subscribe<LiveResult['data']>(
      { query, variables },
      {
        next: (result) => client.take(result as LiveResult),
        error: (error) => client.failed(error),
        complete: () => client.completed(),
      },
    );
    return () => {
      stop();
      library.dispose();
    };
  });

type SubscriptionForwarder = Parameters<typeof subscriptionExchange>[0]['forwardSubscription'];

/** @param forward `null`: urql sends subscriptions itself */
const byUrql =
  (toForward: ((url: string) => { forward: SubscriptionForwarder; dispose: () => unknown }) | null): Subscribe =>
  (url, query, variables = {}) =>
    new ByLibrary((client) => {
      const way = toForward?.(url);
      const library = new Client({
        url,
        preferGetMethod: false,
        fetchSubscriptions: !way,
        exchanges: way ? [subscriptionExchange({ forwardSubscription: way.forward })] : [fetchExchange],
      });
      const { unsubscribe } = library.subscription(query, variables).subscribe(({ data, error, hasNext }) => {
        if (error) client.take({ data, errors: error.graphQLErrors });
        else if (data) client.take({ data });
        if (!hasNext) client.completed();
      });
      return async () => {
        unsubscribe();
        await way?.dispose();
      };
    });

const urqlOverWebSocket = byUrql((url) => {
  const library = createWsClient({ url: toSocketUrl(url), webSocketImpl: WebSocket, ...once });
  const forward: SubscriptionForwarder = ({ query = '', variables }) => ({
    subscribe: (sink) => ({ unsubscribe: library.subscribe({ query, variables: variables ?? {} }, sink as never) }),
  });
  return { forward, dispose: () => library.dispose() };
});

const urqlOverGraphqlSse = byUrql((url) => {
  const library = createSseClient({ url, ...once });
  const forward: SubscriptionForwarder = ({ query = '', variables }) => ({
    subscribe: (sink) => ({ unsubscribe: library.subscribe({ query, variables: variables ?? {} }, sink as never) }),
  });
  return { forward, dispose: () => library.dispose() };
});

const byApollo =
  (isOverWebSocket: boolean): Subscribe =>
  (url, query, variables = {}) =>
    new ByLibrary((client) => {
      const sockets = isOverWebSocket
        ? createWsClient({ url: toSocketUrl(url), webSocketImpl: WebSocket, ...once })
        : null;
      const library = new ApolloClient({
        cache: new InMemoryCache({ possibleTypes: { LiveEvent: ['LiveEventItem', 'LiveGap', 'LiveMissed'] } }),
        link: sockets ? new GraphQLWsLink(sockets) : new HttpLink({ uri: url }),
      });
      const subscription = library
        .subscribe<LiveResult['data']>({ query: gql(query), variables, fetchPolicy: 'no-cache', errorPolicy: 'all' })
        .subscribe({
          next: ({ data, error }) => {
            const errors = (error as { errors?: readonly unknown[] } | undefined)?.errors;
            client.take(errors ? { data, errors } : { data });
          },
          error: (error) => client.failed(error),
          complete: () => client.completed(),
        });
      return async () => {
        subscription.unsubscribe();
        library.stop();
        await sockets?.dispose();
      };
    });

/** The client libraries that apps use for streams, with each of their transports. */
export const libraryClients: readonly (readonly [name: string, subscribe: Subscribe])[] = [
  ['graphql-sse', byGraphqlSse],
  ['urql over graphql-ws', urqlOverWebSocket],
  ['urql over graphql-sse', urqlOverGraphqlSse],
  ['urql over fetch', byUrql(null)],
  ['Apollo Client over graphql-ws', byApollo(true)],
  ['Apollo Client over HTTP, in parts', byApollo(false)],
];
