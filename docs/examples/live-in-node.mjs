import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

const query = `subscription ($after: String) {
  liveEvents(after: $after) { ... on LiveEventItem { cursor event { id type } } ... on LiveMissed { resumeAfter } }
}`;
const url = process.env.GATEWAY.replace('http', 'ws');
const client = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0 });
let after = null;
const show = (errors) => {
  for (const { message, extensions } of errors) {
    console.error(message);
    if (extensions?.argument === 'after') after = null; // the gateway will never accept this cursor
  }
};
for (; ; await new Promise((resolve) => setTimeout(resolve, 500))) {
  try {
    for await (const { data, errors = [] } of client.iterate({ query, variables: { after } })) {
      show(errors);
      const { cursor, resumeAfter, event } = data?.liveEvents ?? {};
      after = cursor ?? resumeAfter ?? after;
      if (event) console.log(event.id);
    }
  } catch (failure) {
    // A list: the gateway rejected the operation. Anything else: the connection broke, so resume after the last event.
    if (Array.isArray(failure)) show(failure);
  }
}
