// Composes the gateway's graph and the catalogue of your network into supergraph.graphql.
//   NETWORK_PROFILE=iota node compose.js
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';

const network = process.env.NETWORK_PROFILE ?? 'ledger';
const program = fileURLToPath(new URL('./cli.js', import.meta.resolve('ledger-gateway')));
const ledger = execFileSync(process.execPath, [program, 'schema', 'print', '--federation'], { encoding: 'utf8' });
const catalogue = readFileSync(new URL(`./${network}.graphql`, import.meta.url), 'utf8');

const { supergraphSdl, errors } = composeServices([
  { name: 'ledger', url: process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql', typeDefs: parse(ledger) },
  { name: 'catalogue', url: process.env.CATALOGUE ?? 'http://127.0.0.1:4001/graphql', typeDefs: parse(catalogue) },
]);
for (const { message } of errors ?? []) console.error(message);
if (!supergraphSdl) process.exit(1);
writeFileSync('supergraph.graphql', supergraphSdl);
console.log(`supergraph.graphql joins the ${network} network with the catalogue.`);
