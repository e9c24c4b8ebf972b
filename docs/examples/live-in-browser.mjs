const query =
  'subscription ($after: String) { liveEvents(after: $after) { ... on LiveEventItem { event { id type } } } }';
export function follow(tell, after = null) {
  const asked = new URLSearchParams({ query, variables: JSON.stringify({ after }) });
  const source = new EventSource(`/graphql?${asked}`);
  source.addEventListener('next', ({ data, lastEventId }) => {
    after = lastEventId; // a cursor, whatever is asked for
    const { event } = JSON.parse(data).data.liveEvents;
    if (event) tell(event);
  });
  source.addEventListener('error', () => {
    // The browser comes back by itself, behind the last event, unless something between answered in the gateway's place.
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 1000, tell, after);
  });
}
