/**
 * The script that begins GraphiQL in the browser. It reads `#options`, which the page has for it, and does what GraphiQL
 * itself does not:
 * - a second visit opens the tab that was open, and a reload the tab of the query in the address, with its own variables.
 *   GraphiQL looks for a tab whose query, variables and headers are what it kept last, and adds an empty tab otherwise;
 * - the variables of an example tab that say `(from Reserve)` or `(from Sign)` are filled in from the answer to that step
 *   when the request is sent, so that the steps of a sponsored transaction run one after the other as they are;
 * - the schema comes from a file that the browser keeps as long as the schema stays the same, and from an answer where
 *   there is no such file or the schema is read again.
 */
export const graphiqlBoot = `(() => {
  const { workers, introspection, graphiql } = JSON.parse(document.querySelector('#options').textContent);
  self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => workers[label] };

  const asked = new URL(location.href).searchParams;
  const query = asked.get('query');
  try {
    const state = JSON.parse(localStorage.getItem('graphiql:tabState'));
    const found = query === null ? state.activeTabIndex : state.tabs.findIndex((tab) => tab.query === query);
    const tab = state.tabs[found];
    if (tab) {
      localStorage.setItem('graphiql:tabState', JSON.stringify({ ...state, activeTabIndex: found }));
      for (const part of ['query', 'variables', 'headers']) {
        if (tab[part]) localStorage.setItem('graphiql:' + part, tab[part]);
        else localStorage.removeItem('graphiql:' + part);
      }
    } else for (const part of ['query', 'variables']) localStorage.removeItem('graphiql:' + part);
  } catch {
    // Nothing was kept, or nothing that can be read: GraphiQL begins with the example tabs.
  }
  const known = localStorage.getItem('graphiql:variables');
  const variables = asked.get('variables') ?? known;
  if (variables) graphiql.variables = variables;

  const steps = { Reserve: 'reserveGas', Sign: 'devnetSignTransaction' };
  const answers = {};
  const fillIn = (name, value) => {
    const [, step] = /^\\(from (\\w+)\\)$/.exec(Array.isArray(value) ? value[0]?.objectId : value) ?? [];
    const answer = answers[step];
    if (!answer || !(name in answer)) return value;
    if (name !== 'gasCoins') return answer[name];
    return answer.gasCoins.map(({ objectId, version, digest }) => ({ objectId, version, digest }));
  };
  const send = self.fetch;
  let file = introspection;
  self.fetch = async (input, init) => {
    if (file && isIntrospection(init)) {
      const kept = await send(file);
      // Asked for again, the schema may be another; and a gateway that was started anew may not have the file.
      file = null;
      if (kept.ok) return kept;
    }
    if (typeof init?.body !== 'string' || !init.body.includes('"(from ')) return watch(await send(input, init));
    const body = JSON.parse(init.body);
    for (const [name, value] of Object.entries(body.variables ?? {})) body.variables[name] = fillIn(name, value);
    return watch(await send(input, { ...init, body: JSON.stringify(body) }));
  };
  const isIntrospection = ({ body, headers } = {}) => {
    try {
      // With headers of somebody's own the answer may be another.
      return JSON.parse(body).operationName === 'IntrospectionQuery' && Object.keys(headers ?? {}).length <= 2;
    } catch {
      return false;
    }
  };
  const watch = (response) => {
    if (!/json/.test(response.headers.get('content-type') ?? '')) return response;
    response.clone().json().then(
      ({ data }) => {
        for (const [step, field] of Object.entries(steps)) if (data?.[field]) answers[step] = data[field];
      },
      () => {},
    );
    return response;
  };

  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), graphiql);
})();
`;
