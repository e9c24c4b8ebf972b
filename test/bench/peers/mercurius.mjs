// mercurius on fastify, with its compiler of queries on.
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { createForwardingSchema } from './forwarding-schema.mjs';

const app = Fastify({ keepAliveTimeout: 600_000 });
app.register(mercurius, { schema: createForwardingSchema(process.argv[2]), jit: 1 });
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => {});
process.send({ kind: 'ready', url });
