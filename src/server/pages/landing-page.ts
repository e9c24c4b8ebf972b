import type { IncomingMessage, ServerResponse } from 'node:http';
import { acceptsPage } from '../request-head.ts';
import { isFromThisMachine } from '../site-checks.ts';
import { faviconLink } from './favicon.ts';

/** The facts that the root path shows, as a page or as JSON. */
export interface LandingFacts {
  readonly gatewayVersion: string;
  /** The ledger's build version, as last seen. */
  readonly rpcVersion: string;
  readonly network: string;
  readonly isSimulated: boolean;
  readonly upstreams: readonly { readonly name: string; readonly state: string; readonly detail: string | null }[];
  readonly limits: readonly { readonly name: string; readonly value: number }[];
  readonly graphqlPath: string;
  readonly hasGraphiql: boolean;
  /** Path of the schema in SDL; `null` if it is hidden. */
  readonly sdlPath: string | null;
  /** Path of the metrics, for clients on this machine; `null` if they have a port of their own. */
  readonly metricsPath: string | null;
  readonly docs: readonly { readonly path: string; readonly title: string }[];
}

export type SendLanding = ReturnType<typeof createSendLanding>;

/** Returns a function that sends a page to browsers and JSON to other clients. */
export function createSendLanding(facts: () => Promise<LandingFacts>) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const isPage = acceptsPage(req.headers.accept);
    const all = await facts();
    const shown = isFromThisMachine(req) ? all : { ...all, metricsPath: null };
    const text = isPage ? renderLandingPage(shown, hostOf(req)) : `${JSON.stringify(toLandingJson(shown))}\n`;
    const body = Buffer.from(text);
    res.writeHead(200, {
      'content-type': `${isPage ? 'text/html' : 'application/json'}; charset=utf-8`,
      'content-length': body.length,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      ...(isPage && { 'content-security-policy': securityPolicy }),
    });
    res.end(req.method === 'HEAD' ? undefined : body);
  };
}

/** The host in the browser's request, if it is safe in a command line. Not from `headers`, where the listener replaced it. */
function hostOf({ rawHeaders }: IncomingMessage): string {
  const host = rawHeaders[rawHeaders.findIndex((name, index) => index % 2 === 0 && /^host$/i.test(name)) + 1] ?? '';
  return /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host) ? host : 'localhost:4000';
}

/** The page loads no resources and runs no script. */
const securityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const firstQuery = `{
  chainIdentifier
  gateway {
    upstreams { name state }
  }
}`;

function toLandingJson(facts: LandingFacts): object {
  const { gatewayVersion, rpcVersion, network, isSimulated, upstreams, limits, graphqlPath } = facts;
  return {
    name: 'ledger-gateway',
    version: gatewayVersion,
    graphql: graphqlPath,
    health: { live: '/health/live', ready: '/health/ready' },
    rpcVersion,
    network,
    simulated: isSimulated,
    upstreams: Object.fromEntries(upstreams.map(({ name, state }) => [name, state])),
    limits: Object.fromEntries(limits.map(({ name, value }) => [name, value])),
  };
}

export function renderLandingPage(facts: LandingFacts, host: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>ledger-gateway</title>
${faviconLink}
<style>${style}</style>
</head>
<body>
<main>
<header>
<h1>ledger-gateway</h1>
<p>One GraphQL endpoint in front of a ledger, its gas sponsor and its events.</p>
${facts.isSimulated ? '<p class="notice">This gateway uses a <strong>simulated network</strong>. Its coins have no value.</p>' : ''}
</header>
${renderFirstQuery(facts, host)}
${renderTables(facts)}
${renderReference(facts)}
${renderFooter(facts)}
</main>
</body>
</html>
`;
}

function renderFirstQuery({ graphqlPath, hasGraphiql }: LandingFacts, host: string): string {
  const runs = `${graphqlPath}?query=${encodeURIComponent(firstQuery)}`;
  const curl = `curl -s http://${host}${graphqlPath} \\
  -H 'content-type: application/json' \\
  -d '{"query":"${firstQuery.replaceAll(/\s+/g, ' ')}"}'`;
  return `<section>
<h2>First query</h2>
<pre tabindex="0"><code>${escapeHtml(firstQuery)}</code></pre>
<p class="links">${hasGraphiql ? `<a class="button" href="${escapeHtml(runs)}">Open in GraphiQL</a><a href="${graphqlPath}">Examples in GraphiQL</a>` : `<a href="${escapeHtml(runs)}">Run the query</a>`}</p>
<details><summary>With curl</summary><pre tabindex="0"><code>${escapeHtml(curl)}</code></pre></details>
</section>`;
}

function renderTables({ upstreams, limits }: LandingFacts): string {
  const states = upstreams.map(
    ({ name, state, detail }) =>
      `<tr><th scope="row">${escapeHtml(name)}</th><td><span class="state ${escapeHtml(state)}">${escapeHtml(state.replaceAll('_', ' '))}</span>${detail ? ` <small>${escapeHtml(detail)}</small>` : ''}</td></tr>`,
  );
  const bounds = limits.map(
    ({ name, value }) =>
      `<tr><th scope="row"><code>${escapeHtml(name)}</code></th><td>${value.toLocaleString('en')}</td></tr>`,
  );
  return `<div class="columns">
<section>
<h2>Upstreams</h2>
<table><tbody>${states.join('')}</tbody></table>
<p class="links"><a href="/health/ready">Readiness as JSON</a></p>
</section>
<section>
<h2>Operation limits</h2>
<table><tbody>${bounds.join('')}</tbody></table>
</section>
</div>`;
}

function renderReference({ sdlPath, metricsPath, docs }: LandingFacts): string {
  const link = (path: string, title: string) => `<a href="${escapeHtml(path)}">${escapeHtml(title)}</a>`;
  const links = [sdlPath && link(sdlPath, 'Schema (SDL)'), metricsPath && link(metricsPath, 'Metrics')].filter(Boolean);
  const pages = docs.map(({ path, title }) => `<li>${link(path, title)}</li>`).join('');
  if (links.length + docs.length === 0) return '';
  return `<section>
<h2>Reference</h2>
${links.length > 0 ? `<p class="links">${links.join('')}</p>` : ''}
${pages ? `<details><summary>Documentation</summary><ul>${pages}</ul></details>` : ''}
</section>`;
}

function renderFooter({ gatewayVersion, rpcVersion, network, graphqlPath }: LandingFacts): string {
  return `<footer>
<dl>
<div><dt>Gateway</dt><dd>${escapeHtml(gatewayVersion)}</dd></div>
<div><dt>Ledger</dt><dd>${escapeHtml(rpcVersion)}</dd></div>
<div><dt>Network profile</dt><dd>${escapeHtml(network)}</dd></div>
<div><dt>Endpoint</dt><dd><code>${graphqlPath}</code> (HTTP, SSE, WebSocket)</dd></div>
</dl>
</footer>`;
}

const style = `
:root { --ink: #1c2430; --soft: #566072; --line: #d9dee7; --paper: #fbfcfe; --card: #ffffff; --accent: #2456c9; --on-accent: #ffffff; --good: #17693a; --bad: #a3271f; --so-so: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf2; --soft: #9aa5b8; --line: #2d3644; --paper: #12171f; --card: #1a212c; --accent: #8fb2ff; --on-accent: #0d1420; --good: #6fd39a; --bad: #ff9a90; --so-so: #f0c060; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: clamp(1rem, 4vw, 3rem); }
h1 { margin: 0; font-size: clamp(1.6rem, 5vw, 2.4rem); letter-spacing: -0.02em; }
h2 { margin: 0 0 .6rem; font-size: 1.05rem; }
header p { margin: .4rem 0 0; color: var(--soft); }
.notice { color: var(--so-so); }
section { margin-top: 1.5rem; padding: 1.1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; min-width: 0; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0 1.5rem; }
pre { margin: 0; padding: .8rem 1rem; overflow-x: auto; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; }
code { font: .9em/1.5 ui-monospace, monospace; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .35rem 0; text-align: left; font-weight: 400; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
tr:first-child > * { border-top: 0; }
td { text-align: right; }
small { display: block; color: var(--soft); }
.state { font-weight: 600; color: var(--so-so); }
.state.up { color: var(--good); }
.state.down { color: var(--bad); }
.state.not_configured, .state.unknown { color: var(--soft); }
.links { display: flex; flex-wrap: wrap; align-items: center; gap: .6rem 1.2rem; margin: .9rem 0 0; }
a { color: var(--accent); }
a.button { padding: .5rem 1rem; border-radius: 8px; background: var(--accent); color: var(--on-accent); text-decoration: none; font-weight: 600; }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
details { margin-top: .9rem; }
summary { cursor: pointer; color: var(--soft); margin-bottom: .5rem; }
ul { margin: 0; padding-left: 1.2rem; columns: 16rem; }
footer { margin-top: 1.5rem; color: var(--soft); font-size: .9rem; }
dl { display: flex; flex-wrap: wrap; gap: .4rem 2rem; margin: 0; }
dl div { display: flex; gap: .5rem; }
dd { margin: 0; color: var(--ink); overflow-wrap: anywhere; }
`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (each) => entities[each] ?? each);
}
