const query = `subscription ($after: String) {
  liveEvents(after: $after) { ... on LiveEventItem { cursor event { id type } } ... on LiveMissed { resumeAfter } }
}`;
export function follow(tell, after = null) {
  const asked = new URLSearchParams({ query, variables: JSON.stringify({ after }) });
  const source = new EventSource(`/graphql?${asked}`);
  source.addEventListener('next', ({ data }) => {
    const { event, cursor, resumeAfter } = JSON.parse(data).data.liveEvents;
    after = cursor ?? resumeAfter ?? after;
    if (event) tell(event);
  });
  for (const end of ['complete', 'error'])
    source.addEventListener(end, () => {
      source.close();
      setTimeout(follow, 500, tell, after);
    });
}
