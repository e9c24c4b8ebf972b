import { GraphiQL, type GraphiQLProps } from 'graphiql';
import { getOperationAST, parse } from 'graphql';
import { createElement, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import 'graphiql/graphiql.css';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import './page.css';
import { fillIn, keepAnswer } from './example-steps.ts';
import { openSavedTab, showInAddress } from './saved-tabs.ts';
import { showUsage, subscribeToUsage, usageText } from './usage-line.ts';

/** The options that the gateway writes into the page's element `#options`. */
interface PageOptions {
  readonly tabs: NonNullable<GraphiQLProps['defaultTabs']>;
  /** Path of a file with the schema, which the browser keeps as long as the schema stays the same; `null` if it is hidden. */
  readonly introspection: string | null;
  /** The request header that asks for `extensions.usage`. */
  readonly usageHeader: string;
  /** The limits in force, by the name of the usage that they limit. */
  readonly limits: Readonly<Record<string, number>>;
}

const workers: Readonly<Record<string, string>> = { json: 'json.js', graphql: 'graphql.js' };
Object.assign(self, {
  MonacoEnvironment: {
    globalAPI: false,
    getWorker: (_module: string, label: string) =>
      new Worker(new URL(`./${workers[label] ?? 'editor.js'}`, import.meta.url), { type: 'module' }),
  },
});

const endpoint = '/graphql';
const options: PageOptions = JSON.parse(document.querySelector('#options')?.textContent ?? '');

/** Path of the schema's file; `null` after its first use, because the schema may have changed since. */
let schemaFile = options.introspection;

type Fetcher = GraphiQLProps['fetcher'];

const fetcher: Fetcher = async ({ query, variables, operationName: name }, { headers = {} } = {}) => {
  const { operationName, isSubscription } = findOperation(query, name);
  const hasOwnHeaders = Object.keys(headers).length > 0;
  // With credentials of the user's own the response may differ.
  if (schemaFile && operationName === 'IntrospectionQuery' && !hasOwnHeaders) {
    const kept = await fetch(schemaFile);
    schemaFile = null;
    // A restarted gateway may not have the file.
    if (kept.ok) return kept.json();
  }
  const send = (accept: string, signal: AbortSignal | null = null) =>
    fetch(endpoint, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json', [options.usageHeader]: 'true', ...headers },
      body: JSON.stringify({ query, variables: fillIn(variables), operationName }),
      credentials: 'same-origin',
      signal,
    });
  if (isSubscription) return subscribe((signal) => send('text/event-stream', signal));
  const response = await send('application/graphql-response+json, application/json');
  const answer = await response.json();
  keepAnswer(answer);
  if (operationName !== 'IntrospectionQuery') showUsage(answer, options.limits);
  return answer;
};

/** Right after the user opens another tab, GraphiQL still has the name of the operation in the tab before. */
function findOperation(query: string, name: string | null | undefined) {
  try {
    const document = parse(query);
    const operation = getOperationAST(document, name) ?? getOperationAST(document);
    if (operation)
      return { operationName: operation.name?.value, isSubscription: operation.operation === 'subscription' };
  } catch {
    // The gateway reports the syntax error.
  }
  return { operationName: name ?? undefined, isSubscription: false };
}

/** A subscription in the form that GraphiQL takes: it ends when the user presses stop. */
function subscribe(send: (signal: AbortSignal) => Promise<Response>): Awaited<ReturnType<Fetcher>> {
  return {
    subscribe(sink) {
      const stop = new AbortController();
      if (typeof sink !== 'object') return { unsubscribe: () => stop.abort() };
      readEvents(send, stop.signal, sink.next).then(sink.complete, (reason) => {
        if (!stop.signal.aborted) sink.error(reason);
      });
      return { unsubscribe: () => stop.abort() };
    },
  };
}

/** Reads server-sent events until the stream ends. A refused subscription is answered with JSON. */
async function readEvents(
  send: (signal: AbortSignal) => Promise<Response>,
  signal: AbortSignal,
  next: (result: never) => void,
): Promise<void> {
  const response = await send(signal);
  const show = (text: string) => next(JSON.parse(text) as never);
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    show(await response.text());
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const events = (text + read.value).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: ?(.+)$/m.exec(event)?.[1];
      if (data && !/^event: complete$/m.test(event)) show(data);
    }
  }
}

function UsageLine() {
  return useSyncExternalStore(subscribeToUsage, usageText);
}

const initial = openSavedTab(new URL(location.href).searchParams, localStorage);
const root = document.querySelector('#root');
if (root) {
  createRoot(root).render(
    createElement(
      GraphiQL,
      {
        fetcher,
        defaultTabs: options.tabs,
        inputValueDeprecation: true,
        ...initial,
        onEditQuery: (query) => showInAddress('query', query),
        onEditVariables: (variables) => showInAddress('variables', variables),
      },
      createElement(GraphiQL.Logo, null, 'ledger-gateway'),
      createElement(GraphiQL.Footer, null, createElement(UsageLine)),
    ),
  );
}
