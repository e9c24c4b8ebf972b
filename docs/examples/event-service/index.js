// Counts events by type, in a file that survives restarts. Counts and cursor are written together, so each event counts once.
//   node index.js counts.json '{"package":"0x2"}'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createClient } from 'ledger-gateway-client';

const [path = 'counts.json', filter = 'null'] = process.argv.slice(2);
const state = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { cursor: null, last: null, counts: {} };

// A database would take both in one transaction. A file is written beside the old one, which it then replaces.
function save() {
  writeFileSync(`${path}.new`, JSON.stringify(state, null, 2));
  renameSync(`${path}.new`, path);
}

const client = createClient({
  url: process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql',
  headers: process.env.GATEWAY_KEY ? { 'x-api-key': process.env.GATEWAY_KEY } : {},
});
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopped.abort());

const document = `subscription ($filter: EventStreamFilter) {
  liveEvents(filter: $filter) {
    __typename
    ... on LiveEventItem { event { id type } }
    ... on LiveGap { reason }
    ... on LiveMissed { count }
  }
}`;
const items = client.tail(
  document,
  { filter: JSON.parse(filter) },
  {
    after: state.cursor,
    signal: stopped.signal,
    onRetry: (error) => console.error(`${error.code}: ${error.message}`),
  },
);
for await (const { data, cursor } of items) {
  const { __typename, event, ...lost } = data.liveEvents;
  if (event) {
    state.counts[event.type] = (state.counts[event.type] ?? 0) + 1;
    state.last = event.id;
  } else console.error(__typename, lost);
  state.cursor = cursor ?? state.cursor;
  save();
}
