// A worker that takes its orders, says that it serves, and does nothing: the built code, since workers load no TypeScript.
import { takeOrders } from '../../dist/start/workers/take-orders.js';

/** What the primary's messages are wrapped in. */
const channel = 'ledger-gateway';
const orders = takeOrders({
  send: (message) => new Promise((resolve) => process.send({ channel, message }, () => resolve())),
  onMessage: (hear) => process.on('message', (received) => received?.channel === channel && hear(received.message)),
});
const url = 'http://127.0.0.1:1';
orders.siblingsOf(await orders.beginning).ready({ url, graphqlUrl: `${url}/graphql`, schema: 'none' });
await orders.stop;
process.exit(0);
