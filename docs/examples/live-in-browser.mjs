const query =
  'subscription ($after: String) { liveEvents(after: $after) { ... on LiveEventItem { event { id type } } } }';
export function follow(onEvent, after = null) {
  const parameters = new URLSearchParams({ query, variables: JSON.stringify({ after }) });
  const source = new EventSource(`/graphql?${parameters}`);
  source.addEventListener('next', (next) => {
    after = next.lastEventId || after; // a cursor, even if the query does not select it
    const { data, errors = [] } = JSON.parse(next.data);
    for (const { message } of errors) console.error(message);
    if (errors.some(({ extensions }) => ['after', 'Last-Event-ID'].includes(extensions?.argument))) {
      source.close(); // The browser would retry with the rejected cursor: start without one.
      setTimeout(follow, 1000, onEvent);
    }
    if (data?.liveEvents?.event) onEvent(data.liveEvents.event);
  });
  source.addEventListener('error', () => {
    // The browser reconnects and resumes by itself, unless a proxy responded in place of the gateway.
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 1000, onEvent, after);
  });
}
