import { exampleTabs } from './graphiql-tabs.ts';

/**
 * GraphiQL leaves a stale offset on its tabs and hides it until one has the focus: pressing a tab then moves it away from
 * under the pointer, and the click opens nothing. Tabs have no business being anywhere but where the layout puts them.
 */
const tabsStayInPlace = '<style>.graphiql-tab { transform: none !important; }</style>';

/** Renders the GraphiQL page. Its package is 9 MB of text, so it is loaded when somebody asks for it. */
export async function renderGraphiqlPage(options: { readonly devnet: boolean }): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const page = renderGraphiQL({
    title: 'ledger-gateway',
    endpoint: '/graphql',
    defaultTabs: exampleTabs(options).map((tab) => ({ ...tab })),
    inputValueDeprecation: true,
    credentials: 'same-origin',
  });
  return page.replace('</head>', () => `${tabsStayInPlace}</head>`);
}
