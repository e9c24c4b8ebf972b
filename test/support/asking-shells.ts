import { openWebSocket } from './open-websocket.ts';
import { until } from './until.ts';

/** The caller's headers and the page's origin. Over WebSocket, the headers are sent in `connection_init`. */
export interface Credentials {
  readonly headers?: Readonly<Record<string, string>>;
  readonly origin?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
type Answer = any;

/** Sends one query over one transport, and returns the response body. */
export type AskByShell = (url: string, query: string, who: Credentials) => Promise<Answer>;

const sent = ({ headers, origin }: Credentials) => ({ ...headers, ...(origin !== undefined && { origin }) });

async function post(path: string, { url, query, who, accept = 'application/json' }: Asking): Promise<string> {
  const headers = { 'content-type': 'application/json', accept, ...sent(who) };
  return (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify({ query }) })).text();
}

interface Asking {
  readonly url: string;
  readonly query: string;
  readonly who: Credentials;
  readonly accept?: string;
}

const toGet = (url: string, query: string) => `${url}/graphql?query=${encodeURIComponent(query)}`;

/** The first event's data. A rejection has no event. */
const readEvent = (text: string) => JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);

/** Every transport. */
export const askingShells: readonly (readonly [name: string, ask: AskByShell])[] = [
  ['a POST', async (url, query, who) => JSON.parse(await post('/graphql', { url, query, who }))],
  [
    'a POST that Yoga serves',
    async (url, query, who) => JSON.parse(await post('/graphql?by=yoga', { url, query, who })),
  ],
  [
    'a GET',
    async (url, query, who) => {
      const headers = { accept: 'application/json', ...sent(who) };
      return (await fetch(toGet(url, query), { headers })).json();
    },
  ],
  [
    'a GET of events',
    async (url, query, who) => {
      const headers = { accept: 'text/event-stream', ...sent(who) };
      return readEvent(await (await fetch(toGet(url, query), { headers })).text());
    },
  ],
  [
    'a POST for events',
    async (url, query, who) => readEvent(await post('/graphql', { url, query, who, accept: 'text/event-stream' })),
  ],
  [
    'a WebSocket',
    async (url, query, who) => {
      await using connection = await connectAs(url, who);
      return await connection.ask(query);
    },
  ],
];

/** An acknowledged WebSocket that sends several queries in turn. */
export async function connectAs(url: string, { headers, origin }: Credentials) {
  const from = origin === undefined ? {} : { origin };
  const { socket, messages, send } = await openWebSocket(`${url.replace('http', 'ws')}/graphql`, from);
  send({ type: 'connection_init', payload: headers ?? {} });
  let asked = 0;
  const answerTo = (id: string) => messages.find((each) => each.id === id && each.type !== 'complete');
  await until(() => messages.some(({ type }) => type === 'connection_ack'), 'the acknowledgement');
  return {
    async ask(query: string): Promise<Answer> {
      asked += 1;
      const id = String(asked);
      send({ id, type: 'subscribe', payload: { query } });
      await until(() => answerTo(id) !== undefined, 'the answer');
      const { type, payload } = answerTo(id);
      return type === 'error' ? { errors: payload } : payload;
    },
    [Symbol.asyncDispose]: async () => socket.terminate(),
  };
}
