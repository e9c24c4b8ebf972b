const query =
  'subscription ($after: String) { liveEvents(after: $after) { ... on LiveEventItem { event { id type } } } }';
export function follow(tell, after = null) {
  const asked = new URLSearchParams({ query, variables: JSON.stringify({ after }) });
  const source = new EventSource(`/graphql?${asked}`);
  source.addEventListener('next', (next) => {
    after = next.lastEventId || after; // a cursor, whatever is asked for
    const { data, errors = [] } = JSON.parse(next.data);
    for (const { message } of errors) console.error(message);
    if (errors.some(({ extensions }) => ['after', 'Last-Event-ID'].includes(extensions?.argument))) {
      source.close(); // The browser would send the rejected cursor again and again: start without it.
      setTimeout(follow, 1000, tell);
    }
    if (data?.liveEvents?.event) tell(data.liveEvents.event);
  });
  source.addEventListener('error', () => {
    // The browser reconnects by itself, after the last event, unless a proxy answered in the gateway's place.
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 1000, tell, after);
  });
}
