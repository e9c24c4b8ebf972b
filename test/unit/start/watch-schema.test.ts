import { buildSchema, introspectionFromSchema, print } from 'graphql';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { unknownRpcVersion } from '../../../src/ledger/rpc-version.ts';
import { watchSchema } from '../../../src/start/watch-schema.ts';
import { NetworkInForce } from '../../../src/upstream/network-in-force.ts';
import { createOwnSchema } from '../../support/own-schema.ts';
import { until } from '../../support/until.ts';

type Options = Parameters<typeof watchSchema>[0];

/** Watches a ledger that sends these versions while its first schema is read. @returns how often its schema was read */
async function watch(...versions: readonly string[]) {
  const seen: (readonly [name: string, detail: unknown])[] = [];
  const ledger = {
    schema: 'type Query { chainIdentifier: String! }',
    reads: 0,
    current: unknownRpcVersion,
    heard: (_version: string, _previous: string) => {},
  };
  const say = (version: string) => {
    const previous = ledger.current;
    ledger.current = version;
    ledger.heard(version, previous);
  };
  const graph = {
    version: () => ledger.current,
    rpcVersion: { current: '1' },
    watchVersion: (heard: typeof ledger.heard) => {
      ledger.heard = heard;
    },
    useSchema() {},
    streams: { open: () => null },
    inForce: new NetworkInForce(),
    execute: async ({ document }: Parameters<Options['graph']['execute']>[0]) => {
      if (typeof document === 'string' || !print(document).includes('__schema')) return { data: {} };
      ledger.reads += 1;
      if (ledger.reads === 1) for (const version of versions) say(version);
      return { data: { ...introspectionFromSchema(buildSchema(ledger.schema)) } };
    },
  };
  const note = (name: string) => (detail: unknown) => seen.push([name, detail]);
  const { keeper } = await watchSchema({
    config: parseConfig({ env: {}, readFile: () => '' }),
    graph: graph as unknown as Options['graph'],
    telemetry: {
      versionSeen: note('seen'),
      versionChanged: note('changed'),
      schemaReplaced: note('replaced'),
    } as unknown as Options['telemetry'],
    outdateReads() {},
    siblings: null,
    onReplaced: () => {},
    onOtherNetwork: null,
    toOwnSchema: () => createOwnSchema(),
    now: Date.now,
  });
  onTestFinished(() => keeper.stop());
  return { ledger, keeper, say, seen };
}

test('if the ledger changes its version while its first schema is read, the schema is read again', async () => {
  const { ledger, seen } = await watch('2026.1.0', '2026.2.0');
  await until(() => ledger.reads === 2, 'the schema is read again');
  expect(seen.filter(([name]) => name !== 'replaced')).toEqual([
    ['seen', '2026.1.0'],
    ['changed', '2026.2.0'],
  ]);
});

test('the version of the first schema alone is not a change', async () => {
  const { ledger, keeper, say } = await watch('2026.1.0');
  // A refresh that was under way would be followed by another one.
  expect(ledger.reads).toBe(1);
  say('2026.2.0');
  await keeper.refresh();
  expect(ledger.reads).toBe(3);
});

test('a changed schema is reported with its first ten changes and the joins that it cannot serve', async () => {
  const { ledger, keeper, seen } = await watch('2026.1.0');
  const replacedBy = async (fields: string) => {
    ledger.schema = `type Object { id: ID! } type Query { chainIdentifier: String! ${fields} }`;
    await keeper.refresh();
    return seen.findLast(([name]) => name === 'replaced')?.[1];
  };
  expect(seen).toContainEqual(['replaced', { origin: 'ledger', fingerprint: expect.any(String) }]);
  const always = { origin: 'ledger', fingerprint: expect.any(String) };
  expect(await replacedBy('object(address: ID!, version: Int): Object')).toEqual({
    ...always,
    breaking: 0,
    dangerous: 0,
    safe: 4,
    changes: expect.arrayContaining(['safe: ReservedGasCoin.object was added.']),
  });
  const added = Array.from({ length: 20 }, (_, number) => `field${number}`);
  const reason = 'The ledger has no root field object.';
  expect(await replacedBy(added.map((name) => `${name}: Object`).join(' '))).toEqual({
    ...always,
    lostJoins: ['ReservedGasCoin', 'SponsoredObjectRef'].map((type) => `join:${type}.object: ${reason}`),
    breaking: 3,
    dangerous: 0,
    safe: 20,
    changes: [
      'breaking: Query.object was removed.',
      'breaking: ReservedGasCoin.object was removed.',
      'breaking: SponsoredObjectRef.object was removed.',
      ...added.slice(0, 7).map((name) => `safe: Query.${name} was added.`),
    ],
  });
});
