import { exampleTabs } from './graphiql-tabs.ts';

/** Renders the GraphiQL page. Its package is 9 MB of text, so it is loaded when somebody asks for it. */
export async function renderGraphiqlPage(options: { readonly devnet: boolean }): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  return renderGraphiQL({
    title: 'ledger-gateway',
    endpoint: '/graphql',
    defaultTabs: exampleTabs(options).map((tab) => ({ ...tab })),
    inputValueDeprecation: true,
    credentials: 'same-origin',
  });
}
