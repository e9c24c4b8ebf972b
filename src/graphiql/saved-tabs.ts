/** The part of GraphiQL's saved state that is read here. */
interface SavedTabs {
  readonly activeTabIndex: number;
  readonly tabs: readonly { readonly query?: string; readonly variables?: string; readonly headers?: string }[];
}

/**
 * Makes GraphiQL open the tab of the query in the address, or else the tab that was open last. GraphiQL itself looks for a
 * tab whose query, variables and headers are exactly those saved last, and adds an empty tab if there is none.
 * @returns initial properties for GraphiQL
 */
export function openSavedTab(
  address: URLSearchParams,
  storage: Storage,
): { initialQuery?: string; initialVariables?: string } {
  const query = address.get('query');
  try {
    const state: SavedTabs = JSON.parse(storage.getItem('graphiql:tabState') ?? '');
    const found = query === null ? state.activeTabIndex : state.tabs.findIndex((tab) => tab.query === query);
    const tab = state.tabs[found];
    if (tab) {
      storage.setItem('graphiql:tabState', JSON.stringify({ ...state, activeTabIndex: found }));
      for (const part of ['query', 'variables', 'headers'] as const) {
        if (tab[part]) storage.setItem(`graphiql:${part}`, tab[part]);
        else storage.removeItem(`graphiql:${part}`);
      }
    } else for (const part of ['query', 'variables']) storage.removeItem(`graphiql:${part}`);
  } catch {
    // Nothing readable was saved: GraphiQL begins with the example tabs.
  }
  const variables = address.get('variables') ?? storage.getItem('graphiql:variables');
  return { ...(query !== null && { initialQuery: query }), ...(variables && { initialVariables: variables }) };
}

/** Keeps the operation in the page's address, for reloads, bookmarks and links. */
export function showInAddress(name: 'query' | 'variables', text: string): void {
  const url = new URL(location.href);
  if (text.trim() === '') url.searchParams.delete(name);
  else url.searchParams.set(name, text);
  history.replaceState(null, '', url);
}
