import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import { pick, ToolbarButton, tryParseJSONC, useGraphiQL } from '@graphiql/react';
import { GraphiQL, type GraphiQLProps } from 'graphiql';
import { getOperationAST, parse } from 'graphql';
import { createElement, Fragment, useState } from 'react';
import { createRoot } from 'react-dom/client';
import 'graphiql/graphiql.css';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import './page.css';
import { type AnswerFacts, AnswerLine, lineOfOpenTab, toAnswerText } from './answer-line.ts';
import { apiKey, apiKeyPlugin, copiesCredentials } from './api-key.ts';
import { fillIn, keepAnswer } from './example-steps.ts';
import { openSavedTab, showInAddress } from './saved-tabs.ts';
import { toCurl } from './to-curl.ts';

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

/** The request for an operation, with the visitor's key and the tab's own headers. */
function toRequest(
  query: string,
  variables: unknown,
  name: string | null | undefined,
  own: Record<string, string> = {},
) {
  const { operationName, operation } = findOperation(query, name);
  const isStream = operation === 'subscription';
  const key = apiKey();
  const headers: Record<string, string> = {
    accept: isStream ? 'text/event-stream' : 'application/graphql-response+json, application/json',
    'content-type': 'application/json',
    [options.usageHeader]: 'true',
    ...(key && { 'x-api-key': key }),
    ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value])),
  };
  const body = JSON.stringify({ query, variables: fillIn(variables), operationName });
  return { url: new URL(endpoint, location.href).href, headers, body, operation, operationName };
}

const fetcher: Fetcher = async ({ query, variables, operationName: name }, { headers: own = {} } = {}) => {
  const { url, headers, body, operation, operationName } = toRequest(query, variables, name, own);
  const send = (signal: AbortSignal | null = null) =>
    fetch(url, { method: 'POST', headers, body, credentials: 'same-origin', signal });
  if (operationName === 'IntrospectionQuery') {
    // With credentials of the user's own the response may differ.
    const isForAll = Object.keys(own).length === 0 && !headers['x-api-key'];
    const kept = schemaFile && isForAll ? await fetch(schemaFile) : null;
    schemaFile = null;
    // A restarted gateway may not have the file.
    return (kept?.ok ? kept : await send()).json();
  }
  const show = lineOfOpenTab();
  show('Running …');
  return {
    // Stops when the user presses stop or opens another tab, whose answer GraphiQL would replace.
    subscribe(sink) {
      const stop = new AbortController();
      const unsubscribe = () => {
        stop.abort();
        show('Stopped.');
      };
      if (typeof sink !== 'object') return { unsubscribe };
      // A mutation may have been executed when it is stopped, and later steps need its answer.
      const request = send(operation === 'mutation' ? null : stop.signal);
      readAnswers(request, (answer, facts) => {
        keepAnswer(answer);
        if (stop.signal.aborted) return;
        if (answer !== undefined) sink.next(answer as never);
        show(toAnswerText(facts, options.limits));
      }).then(sink.complete, (reason) => {
        if (stop.signal.aborted) return;
        show('No answer.');
        sink.error(reason);
      });
      return { unsubscribe };
    },
  };
};

/** Right after the user opens another tab, GraphiQL still has the name of the operation in the tab before. */
function findOperation(query: string, name: string | null | undefined) {
  try {
    const document = parse(query);
    const operation = getOperationAST(document, name) ?? getOperationAST(document);
    if (operation) return { operationName: operation.name?.value, operation: operation.operation };
  } catch {
    // The gateway reports the syntax error.
  }
  return { operationName: name ?? undefined, operation: null };
}

/**
 * Reads an answer, or a stream of server-sent events until it ends. A refused subscription is answered with JSON.
 * @param onAnswer called for each answer; with `undefined` when a stream has opened
 */
async function readAnswers(
  request: Promise<Response>,
  onAnswer: (answer: unknown, facts: AnswerFacts) => void,
): Promise<void> {
  const start = performance.now();
  const { status, headers, body } = await request;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  let [items, bytes] = [0, 0];
  const take = (text: string | undefined) => {
    const answer = text === undefined ? undefined : parseAnswer(text, status);
    const { usage } = Object(Object(answer).extensions);
    onAnswer(answer, { status, ms: performance.now() - start, bytes, items: isStream ? items : null, usage });
  };
  if (isStream) take(undefined);
  let unread = '';
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    bytes += read.value.length;
    const events = (unread + decoder.decode(read.value, { stream: true })).split(isStream ? '\n\n' : /$^/);
    unread = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: ?(.+)$/m.exec(event)?.[1];
      if (!data || /^event: complete$/m.test(event)) continue;
      items += 1;
      take(data);
    }
  }
  if (!isStream) take(unread);
}

function parseAnswer(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`HTTP ${status}, but not an answer of the gateway.`);
  }
}

function CopyAsCurl() {
  const { queryEditor, variableEditor, headerEditor, operationName } = useGraphiQL(
    pick('queryEditor', 'variableEditor', 'headerEditor', 'operationName'),
  );
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    const read = (editor: typeof headerEditor) => {
      try {
        return Object(tryParseJSONC(editor?.getValue()));
      } catch {
        return {};
      }
    };
    const request = toRequest(queryEditor?.getValue() ?? '', read(variableEditor), operationName, read(headerEditor));
    copyText(toCurl(request, copiesCredentials()));
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  const label = isCopied ? 'Copied' : 'Copy as curl';
  return createElement(ToolbarButton, {
    label,
    onClick: copy,
    children: createElement('span', { className: 'curl' }, isCopied ? '✓' : '$_'),
  });
}

/** `navigator.clipboard` exists only on pages over HTTPS, and on this machine. */
function copyText(text: string): void {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
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
        plugins: [HISTORY_PLUGIN, apiKeyPlugin],
        ...initial,
        onEditQuery: (query) => showInAddress('query', query),
        onEditVariables: (variables) => showInAddress('variables', variables),
      },
      createElement(GraphiQL.Logo, null, 'ledger-gateway'),
      createElement(GraphiQL.Toolbar, {
        children: ({ prettify, merge, copy }) =>
          createElement(Fragment, null, prettify, merge, copy, createElement(CopyAsCurl)),
      }),
      createElement(GraphiQL.Footer, null, createElement(AnswerLine)),
    ),
  );
}
