// The ledger and the sponsor behind every contestant.
import { createUpstreamServer } from '../load/upstream-server.ts';
import { announce } from './announce.ts';

const { server, calls, addField } = createUpstreamServer();

process.on('message', (order: { readonly kind: string; readonly name?: string }) => {
  if (order.kind === 'add-field') addField(String(order.name));
  process.send?.({ kind: 'calls', calls });
});
announce(server);
