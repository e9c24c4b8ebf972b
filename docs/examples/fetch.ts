const url = process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql';

interface Result<Data> {
  data?: Data;
  errors?: { message: string; extensions: { code: string } }[];
}

async function request<Data>(body: { query: string } | { documentId: string }, variables?: object) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, variables }),
  });
  return (await response.json()) as Result<Data>;
}

interface Events {
  queryEvents: { pageInfo: { startCursor: string }; nodes: { id: string }[] };
}
const query = `query ($count: Int!, $before: String) {
  queryEvents(last: $count, before: $before) { pageInfo { startCursor } nodes { id } }
}`;

const newest = (await request<Events>({ query }, { count: 6 })).data?.queryEvents;
console.log('query', newest?.nodes.length);

const before = newest?.pageInfo.startCursor;
const older = (await request<Events>({ query }, { count: 6, before })).data?.queryEvents;
console.log('page', ...[...(older?.nodes ?? []), ...(newest?.nodes ?? [])].map(({ id }) => id));

const { errors } = await request<Events>({ query }, { count: 6, before: 'no cursor' });
console.log('error', errors?.[0]?.extensions.code);

const reserve = `mutation ($key: String!) {
  reserveGas(gasBudget: 10000000, reserveDurationSecs: 60, idempotencyKey: $key) { reservationId state }
}`;
const { data } = await request<{ reserveGas: { state: string } }>({ query: reserve }, { key: crypto.randomUUID() });
console.log('mutation', data?.reserveGas?.state);

const chain = await request<{ chainIdentifier: string }>({ documentId: 'Chain' });
console.log('document id', chain.data?.chainIdentifier);

// EventSource reconnects and continues with the next event. It cannot send headers.
const live = 'subscription ($after: String) { liveEvents(after: $after) { ... on LiveEventItem { event { id } } } }';
const search = new URLSearchParams({ query: live, variables: JSON.stringify({ after: before }) });
const source = new EventSource(`${url}?${search}`);
source.addEventListener(
  'next',
  (event) => {
    const item: Result<{ liveEvents: { event?: { id: string } } }> = JSON.parse(event.data);
    console.log('subscription', item.data?.liveEvents.event?.id);
    source.close();
  },
  { once: true },
);
