import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ts } from '@ts-morph/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../src/devnet/start-devnet.ts';
import { builtProgram } from '../support/built-program.ts';
import {
  createCodegenProject,
  createPackagedProject,
  createProject,
  type Project,
  removeProjects,
  root,
} from '../support/example-projects.ts';
import { openTcpGate } from '../support/tcp-gate.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';

const execute = promisify(execFile);

let devnet: Devnet;
/** A ledger without new checkpoints, so that pages do not move. Its manifest gives other texts for ids than the apps have. */
let reader: TestGateway;
/** On the embedded network, whose checkpoints follow each other. */
let payer: TestGateway;
let codegen: Project;
let relay: Project;
let packaged: Project;

beforeAll(async () => {
  // The examples import the client of the package from there.
  builtProgram();
  const token = 'token-of-the-sponsor';
  devnet = await startDevnet({ sponsorToken: token, checkpointIntervalMs: 0, genesis: { checkpoints: 40 } });
  payer = await createTestGateway();
  codegen = await createCodegenProject(payer);
  relay = createProject('Relay', { generated: { by: codegen, paths: ['schema.graphql'] } });
  writeFileSync(join(relay.folder, 'generated/relay-documents.json'), '{}');
  await relay.command('relay-compiler', payer);
  const read = ({ folder }: Project, path: string) => readFileSync(join(folder, 'generated', path), 'utf8');
  const manifests = [read(codegen, 'documents/persisted-documents.json'), read(relay, 'relay-documents.json')];
  const documents = Object.assign({ Chain: '{ chainIdentifier }' }, ...manifests.map((text) => JSON.parse(text)));
  // A text of the app would get another answer. Ids that are hashes must fit their text.
  for (const [id, text] of Object.entries<string>(documents))
    if (!id.startsWith('sha256:')) documents[id] = text.replace('chainIdentifier', 'chainIdentifier: __typename');
  reader = await createTestGateway(
    {
      LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
      LEDGER_RPC_URL: devnet.rpcUrl,
      SPONSOR_URL: devnet.sponsorUrl,
      SPONSOR_TOKEN: token,
      SPONSOR_ALLOW_ANONYMOUS: 'true',
      CORS_ORIGINS: 'http://127.0.0.1',
      TRUSTED_DOCUMENTS_FILE: 'manifest.json',
    },
    { 'manifest.json': JSON.stringify(documents) },
  );
  packaged = await createPackagedProject(codegen);
});
afterAll(async () => {
  await payer?.close();
  await reader?.close();
  await devnet?.close();
  removeProjects();
});

const idsOf = (count: number) =>
  devnet.ledger.events.slice(-count).map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`);

interface Sent {
  readonly query?: string;
  readonly documentId?: string;
  readonly extensions?: { readonly persistedQuery?: { readonly sha256Hash: string } };
}

/** The JSON bodies of HTTP requests, and the parameters of those by GET, as urql sends persisted queries. */
function parseRequests(text: string): Sent[] {
  const heads = text.matchAll(/^content-length: (\d+)\r\n(?:.+\r\n)*\r\n/gim);
  const bodies = [...heads].map(({ index, 0: head, 1: length }) =>
    JSON.parse(text.slice(index + head.length, index + head.length + Number(length))),
  );
  const searches = [...text.matchAll(/GET \S+\?(\S+) HTTP/g)].map(([, search]) => {
    const { extensions = '{}', ...others } = Object.fromEntries(new URLSearchParams(search));
    return { ...others, extensions: JSON.parse(extensions) };
  });
  return [...bodies, ...searches];
}

/** What each example prints. @param chain the answer to the document id */
const report = (chain = 'Query') => [
  'query 6',
  `page ${idsOf(12).join(' ')}`,
  'error BAD_USER_INPUT',
  'mutation ACTIVE',
  `document id ${chain}`,
  `subscription ${idsOf(5)[0]}`,
];

describe('a project of each client in docs/clients.md queries, pages, mutates, subscribes and sends document ids', () => {
  it.each([
    ['Apollo Client', 'apollo', 5],
    ['urql', 'urql', 5],
    ['graphql-request', 'graphql-request', 1],
  ])('%s', async (heading, name, requestsById) => {
    const generated = { by: codegen, paths: ['documents'] };
    const project = createProject(heading, { files: ['operations.ts'], generated });
    await project.compile();
    const { data } = await reader.query('{ chainIdentifier }');
    let sent = '';
    await using gate = await openTcpGate(Number(new URL(reader.url).port), (chunk) => {
      sent += chunk.toString('latin1');
    });
    const lines = await project.run(name, { url: `http://127.0.0.1:${gate.port}` });
    expect(lines).toEqual(report(data.chainIdentifier));
    const manifest = readFileSync(join(codegen.folder, 'generated/documents/persisted-documents.json'), 'utf8');
    const ids = Object.keys(JSON.parse(manifest));
    const withoutText = parseRequests(sent).filter(({ query }) => query === undefined);
    expect(withoutText).toHaveLength(requestsById);
    for (const { documentId, extensions } of withoutText)
      expect(ids).toContain(documentId ?? extensions?.persistedQuery?.sha256Hash);
  });

  it('Relay, whose compiler ignores node_modules in its own folder', async () => {
    // As in the compiler's own package: it fits no schema.
    mkdirSync(join(relay.folder, 'node_modules/some-package'), { recursive: true });
    writeFileSync(join(relay.folder, 'node_modules/some-package/extensions.graphql'), 'type Query { other: String }\n');
    const out = await relay.command('relay-compiler', reader);
    expect(out).toMatch(/Compilation completed/);
    expect(out).not.toMatch(/WARN|node_modules/);
    await relay.compile();
    expect(await relay.run('relay', reader)).toEqual(report());
  });

  it('gql.tada, with the types of its own command, and one address variable for both owners of fields', async () => {
    const packages = ['@gql.tada/cli-utils', '@gql.tada/internal', '@0no-co/graphql.web', '@0no-co/graphqlsp'];
    const tada = createProject('gql\\.tada', { packages, generated: { by: codegen, paths: ['schema.graphql'] } });
    // The command needs the API of TypeScript 6, which TypeScript 7 does not have.
    const typescript = join(tada.folder, 'node_modules/typescript');
    mkdirSync(typescript);
    writeFileSync(join(typescript, 'package.json'), JSON.stringify({ version: ts.version, main: 'index.cjs' }));
    const path = JSON.stringify(join(root, 'node_modules/@ts-morph/common'));
    writeFileSync(join(typescript, 'index.cjs'), `module.exports = require(${path}).ts;\n`);
    const preserve = ['--preserve-symlinks', '--preserve-symlinks-main'];
    const options = [...preserve, 'node_modules/gql.tada/bin/cli.js', 'generate-output'];
    await execute(process.execPath, options, { cwd: tada.folder });
    await tada.compile();
    const lines = await tada.run('gql-tada', reader);
    const { sender = '' } = devnet.ledger.events.at(-1) ?? {};
    const theirs = devnet.ledger.events.filter((event) => event.sender === sender).slice(-3);
    const activity = ['activity', sender, true, ...theirs.map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`)];
    expect(lines).toEqual(report().toSpliced(2, 0, activity.join(' ')));
  });

  it('graphql-ws and graphql-sse', async () => {
    const project = createProject('graphql-ws and graphql-sse');
    await project.compile();
    for (const transport of ['ws', 'sse'])
      expect(await project.run('streaming', reader, [transport])).toEqual(report());
  });

  it('fetch and EventSource', async () => {
    const project = createProject('fetch and EventSource');
    await project.compile();
    expect(await project.run('fetch', reader)).toEqual(report());
  });

  it('the client of the package, which also reports errors by their code', async () => {
    const lines = await packaged.run('client', reader);
    const newest = devnet.ledger.events.filter(({ type }) => type === devnet.ledger.events.at(-1)?.type).slice(-3);
    expect(lines).toEqual([
      ...newest.map(({ txDigest, eventSeq, type }) => `${txDigest}:${eventSeq} ${type}`),
      `${devnet.ledger.events.length} events`,
      'BAD_USER_INPUT never',
    ]);
  });

  it.each(['iota', 'sui'])('a transaction of the %s SDK is sponsored and executed', async (sdk) => {
    const shown = (await packaged.run('sponsor', payer, [sdk])).join('\n');
    expect(shown).toContain("outcome: 'EXECUTED'");
    expect(shown).toContain("status: 'SUCCESS'");
    const digest = /digest: '(\w+)'/.exec(shown)?.[1];
    const { data } = await payer.query('query ($d: String!) { transactionBlock(digest: $d) { digest } }', {
      d: digest,
    });
    expect(data.transactionBlock).toEqual({ digest });
  });

  it('all share one copy of graphql', () => {
    const require = createRequire(import.meta.url);
    const own = require.resolve('graphql');
    for (const name of ['@apollo/client', 'graphql-request', '@graphql-codegen/client-preset', '@gql.tada/internal'])
      expect(createRequire(require.resolve(name)).resolve('graphql'), name).toBe(own);
  });
});
