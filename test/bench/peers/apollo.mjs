// Apollo Server in its standalone form.
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { createForwardingSchema } from './forwarding-schema.mjs';

const server = new ApolloServer({ schema: createForwardingSchema(process.argv[2]) });
const { url } = await startStandaloneServer(server, { listen: { host: '127.0.0.1', port: 0 } });
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => {});
process.send({ kind: 'ready', url: url.replace(/\/$/, '') });
