// A worker that takes its orders and says that it serves: the built code, since workers load no TypeScript.
// The first one of a test does what the argument says: `hang` never serves, `busy` computes for 4 seconds, `loop` for ever.
import { writeFileSync } from 'node:fs';
import { followPrimary } from '../../dist/start/workers/follow-primary.js';

/** What the primary's messages are wrapped in. */
const channel = 'ledger-gateway';
const [act, mark] = process.argv.slice(2);
const isActor = act !== undefined && isFirst();
const orders = followPrimary({
  send: (message) => new Promise((resolve) => process.send({ channel, message }, () => resolve())),
  onMessage: (hear) => process.on('message', (received) => received?.channel === channel && hear(received.message)),
});
void orders.stop.then(() => process.exit(0));
const siblings = orders.siblingsOf(await orders.beginning);
if (!isActor || act !== 'hang') {
  const url = 'http://127.0.0.1:1';
  siblings.ready({ url, graphqlUrl: `${url}/graphql`, schema: 'none' });
}
if (isActor && act !== 'hang') {
  await new Promise((resolve) => setTimeout(resolve, 300));
  const endMs = performance.now() + (act === 'busy' ? 4_000 : Number.POSITIVE_INFINITY);
  while (performance.now() < endMs);
  siblings.schemaReplaced('computed');
}

/** The first one to make the file is. */
function isFirst() {
  try {
    writeFileSync(mark, '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
