import { readFileSync, writeFileSync } from 'node:fs';
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { buildSchema, introspectionFromSchema } from 'graphql';

const schema = buildSchema(readFileSync('generated/schema.graphql', 'utf8'));
const introspection = minifyIntrospection(introspectionFromSchema(schema, { oneOf: true }));
const options = { fileType: 'generated/graphql-env.d.ts', shouldPreprocess: true };
writeFileSync(options.fileType, outputIntrospectionFile(introspection, options));
