import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

/** One result of a `liveEvents` or `liveTransactions` subscription. */
export interface LiveResult {
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
  readonly data?: any;
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  readonly errors?: readonly any[];
}

/** A subscription of a real client, and its results so far. */
export interface LiveClient {
  readonly results: LiveResult[];
  /** Names of the events or transactions received, in order. */
  readonly ids: string[];
  /** Cursor of the last item, or `null`. */
  readonly cursor: string | null;
  /** The raw event stream. */
  readonly text: string;
  /** How the stream ended; `null` while it is open. */
  readonly end: 'complete' | 'broken' | null;
  leave(): Promise<void>;
}

export type Subscribe = (url: string, query: string, variables?: Record<string, unknown>) => LiveClient;

export abstract class Collector {
  readonly results: LiveResult[] = [];
  readonly ids: string[] = [];
  cursor: string | null = null;
  text = '';
  end: LiveClient['end'] = null;

  take(result: LiveResult): void {
    this.results.push(result);
    const item = result.data?.liveEvents ?? result.data?.liveTransactions;
    if (item?.event) this.ids.push(item.event.id);
    if (item?.transaction) this.ids.push(item.transaction.digest);
    if (item?.cursor) this.cursor = item.cursor;
  }

  abstract leave(): Promise<void>;
}

class OverWebSocket extends Collector {
  readonly #client;
  readonly #stop: () => void;

  constructor(url: string, query: string, variables: Record<string, unknown>) {
    super();
    this.#client = createClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket, retryAttempts: 0 });
    this.#stop = this.#client.subscribe<LiveResult['data']>(
      { query, variables },
      {
        next: (result) => this.take(result as LiveResult),
        error: (error) => {
          if (Array.isArray(error)) this.take({ errors: error });
          this.end = 'broken';
        },
        complete: () => {
          this.end ??= 'complete';
        },
      },
    );
  }

  async leave(): Promise<void> {
    this.#stop();
    await this.#client.dispose();
  }
}

/** Reads the stream without a client library. */
class OverEventStream extends Collector {
  readonly #controller = new AbortController();
  readonly #over: Promise<void>;

  constructor(url: string, query: string, variables: Record<string, unknown>) {
    super();
    this.#over = this.#read(url, JSON.stringify({ query, variables })).catch(() => {
      this.end ??= 'broken';
    });
  }

  async #read(url: string, body: string): Promise<void> {
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const { signal } = this.#controller;
    const response = await fetch(url, { method: 'POST', headers, body, signal });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('utf8');
      this.text += Buffer.from(chunk).toString('utf8');
      for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n')) {
        const [, event, data = ''] = /^(?:event: (\w+)\n)?(?:id: .*\n)?(?:data: ?(.*))?/.exec(text.slice(0, at)) ?? [];
        text = text.slice(at + 2);
        if (event === 'next') this.take(JSON.parse(data));
        if (event === 'complete') this.end = 'complete';
      }
    }
    this.end ??= 'broken';
  }

  async leave(): Promise<void> {
    this.#controller.abort();
    await this.#over;
  }
}

export const overWebSocket: Subscribe = (url, query, variables = {}) => new OverWebSocket(url, query, variables);
export const overEventStream: Subscribe = (url, query, variables = {}) => new OverEventStream(url, query, variables);
