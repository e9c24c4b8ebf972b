import { expect, it } from 'vitest';
import { type LandingFacts, renderLandingPage } from '../../../../src/server/pages/landing-page.ts';

const facts: LandingFacts = {
  gatewayVersion: '0.1.0',
  rpcVersion: '2026.11.0-a',
  network: 'ledger',
  isSimulated: false,
  upstreams: [{ name: 'ledger', state: 'up', detail: null }],
  limits: [{ name: 'maxOutputNodes', value: 100_000 }],
  graphqlPath: '/graphql',
  hasGraphiql: true,
  sdlPath: '/graphiql/schema.graphql',
  metricsPath: '/metrics',
  docs: [{ path: '/graphiql/docs/a.md', title: 'A & B' }],
};

it('what an upstream says of itself is text, never markup', () => {
  const evil = `<img src=x onerror=alert(1)>"'&`;
  const page = renderLandingPage(
    { ...facts, rpcVersion: evil, upstreams: [{ name: 'ledger', state: 'down', detail: evil }] },
    'localhost:4000',
  );
  expect(page).not.toContain('<img');
  expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;');
});

it('warns clearly if the network is simulated', () => {
  expect(renderLandingPage(facts, 'a')).not.toContain('simulated network');
  expect(renderLandingPage({ ...facts, isSimulated: true }, 'a')).toContain('simulated network');
});

it('links GraphiQL only if it is served', () => {
  expect(renderLandingPage(facts, 'a')).toContain('<a href="/graphiql/docs/a.md">A &amp; B</a>');
  expect(renderLandingPage(facts, 'a')).toContain('GraphiQL');
  expect(renderLandingPage({ ...facts, hasGraphiql: false }, 'a')).not.toContain('GraphiQL');
});
