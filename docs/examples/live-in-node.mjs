import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

const query = `subscription ($after: String) {
  liveEvents(after: $after) { ... on LiveEventItem { cursor event { id type } } ... on LiveMissed { resumeAfter } }
}`;
const url = process.env.GATEWAY.replace('http', 'ws');
const client = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0 });
for (let after = null; ; await new Promise((resolve) => setTimeout(resolve, 500))) {
  try {
    for await (const { data } of client.iterate({ query, variables: { after } })) {
      after = data.liveEvents.cursor ?? data.liveEvents.resumeAfter ?? after;
      if (data.liveEvents.event) console.log(data.liveEvents.event.id);
    }
  } catch {} // the connection is gone: go on behind the last one
}
