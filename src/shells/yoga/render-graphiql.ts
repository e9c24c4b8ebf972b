import { exampleTabs } from './graphiql-tabs.ts';

/**
 * GraphiQL leaves an old offset on tabs that are not focused. Pressing such a tab moves it away from under the pointer,
 * and the click does nothing. Without offsets the tabs stay where they are.
 */
const tabsStayInPlace = '<style>.graphiql-tab { transform: none !important; }</style>';

/** Loads the package only when somebody asks for the page: it is 9 MB of text. */
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
