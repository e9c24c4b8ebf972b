import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { parseJson, printJson } from '../../src/json/exact-json.ts';
import type { CorpusOperation } from './operation-corpus.ts';
import type { TestGateway } from './test-gateway.ts';

/** The parts of a request apart from its operation. */
export interface Form {
  readonly accept: string;
  readonly showUsage: boolean;
}

/** Everything in a response that a client can observe. */
export interface ShellAnswer {
  readonly status: number;
  /** By name, without headers that differ for each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Printed again: key order is preserved. */
  readonly body: string;
  readonly requestId: string;
}

export interface SocketAnswer {
  /** Of the single result; `null` for an operation rejected with an `error` message. */
  readonly result: Record<string, unknown> | null;
  readonly errors: unknown;
}

export interface Shells extends AsyncDisposable {
  post(operation: CorpusOperation, form: Form): Promise<ShellAnswer>;
  /** Uses Yoga: the query string keeps the request from the lane. */
  ordinaryPost(operation: CorpusOperation, form: Form): Promise<ShellAnswer>;
  get(operation: CorpusOperation, form: Form): Promise<ShellAnswer>;
  socket(operation: CorpusOperation, form: Pick<Form, 'showUsage'>): Promise<SocketAnswer>;
  /** Whether each request, by id, was served without Yoga, once all are in the log. */
  lanes(requestIds: readonly string[]): Promise<boolean[]>;
}

const usageHeader = 'x-ledger-rpc-show-usage';
/** Framing is not content. */
const framing = new Set(['date', 'content-length', 'connection', 'keep-alive', 'transfer-encoding']);

/**
 * Sends the same operation over every transport of a gateway. Each request has its own address, so none exceeds a rate limit.
 */
export function openShells(gateway: TestGateway): Shells {
  let requests = 0;
  /** Whether the lane served the request, by request id, for the log lines read so far. */
  const lanes = new Map<string, boolean>();
  let logRead = 0;
  const sockets = [false, true].map((showUsage) => connect(gateway.url, showUsage));

  const ask = async (url: string, form: Form, init: RequestInit): Promise<ShellAnswer> => {
    requests += 1;
    const requestId = `request-${requests}`;
    const headers = {
      accept: form.accept,
      'x-request-id': requestId,
      'x-forwarded-for': `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`,
      ...(form.showUsage && { [usageHeader]: 'true' }),
      ...(init.body !== undefined && { 'content-type': 'application/json' }),
    };
    const response = await fetch(url, { ...init, headers });
    const text = await response.text();
    return { status: response.status, headers: toComparable(response.headers), body: reprinted(text), requestId };
  };

  const post = (path: string, { text, variables, operationName }: CorpusOperation, form: Form) =>
    ask(`${gateway.url}${path}`, form, {
      method: 'POST',
      body: JSON.stringify({ query: text, variables, operationName }),
    });

  return {
    post: (operation, form) => post('/graphql', operation, form),
    ordinaryPost: (operation, form) => post('/graphql?by=yoga', operation, form),
    get: ({ text, variables, operationName }, form) => {
      const parameters = new URLSearchParams({ query: text });
      if (variables) parameters.set('variables', JSON.stringify(variables));
      if (operationName !== undefined) parameters.set('operationName', operationName);
      return ask(`${gateway.url}/graphql?${parameters}`, form, { method: 'GET' });
    },
    async socket({ text, variables, operationName }, { showUsage }) {
      const client = sockets[showUsage ? 1 : 0] as Client;
      const payload = {
        query: text,
        ...(variables && { variables: { ...variables } }),
        ...(operationName !== undefined && { operationName }),
      };
      const results: Record<string, unknown>[] = [];
      try {
        for await (const result of client.iterate(payload)) results.push({ ...result });
      } catch (errors) {
        // Anything else reports the end of the connection.
        if (!Array.isArray(errors)) throw new Error('the socket was closed instead of an answer', { cause: errors });
        return { result: null, errors };
      }
      const [result, ...more] = results;
      if (!result || more.length > 0) throw new Error(`${results.length} results instead of one`);
      return { result, errors: result.errors };
    },
    async lanes(requestIds) {
      // The log line is written when the response closes, which the client may notice first.
      for (; ; await new Promise((resolve) => setImmediate(resolve))) {
        for (; logRead < gateway.log.length; logRead += 1) {
          const line = gateway.log[logRead];
          if (line?.msg === 'request') lanes.set(String(line.requestId), line.lane === true);
        }
        if (requestIds.every((id) => lanes.has(id))) return requestIds.map((id) => lanes.get(id) === true);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const client of sockets) await client.dispose();
    },
  };
}

function connect(url: string, showUsage: boolean): Client {
  return createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: showUsage ? { [usageHeader]: 'true' } : {},
  });
}

function toComparable(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    [...headers].flatMap(([name, value]) => {
      if (framing.has(name)) return [];
      // Seconds until the rate-limit window ends.
      if (name === 'ratelimit') return [[name, value.replace(/;t=\d+/, '')]];
      return name === 'retry-after' ? [[name, 'some']] : [[name, value]];
    }),
  );
}

function reprinted(text: string): string {
  try {
    return printJson(parseJson(text));
  } catch {
    return text;
  }
}
