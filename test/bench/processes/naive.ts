// What one gets by following the manuals: graphql-yoga over @graphql-tools/stitch, every option at its default.
import { createServer } from 'node:http';
import { createYoga } from 'graphql-yoga';
import { createNaiveSchema } from '../load/naive-schema.ts';
import { announce } from './announce.ts';

const [, , url = ''] = process.argv;
const yoga = createYoga({ schema: await createNaiveSchema(url, process.cwd()), logging: false });
announce(createServer(yoga));
