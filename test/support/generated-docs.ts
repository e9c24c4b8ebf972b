import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { configGroups, configKeyNames, withAddresses } from '../../src/config/keys.ts';
import { networkProfiles } from '../../src/config/network-profile.ts';
import type { ConfigKey } from '../../src/config/value-types.ts';
import { expectedOf } from '../../src/config/value-types.ts';
import { errorCatalogue } from '../../src/errors/catalogue.ts';
import { policyRules } from '../../src/errors/policy-rules.ts';
import { offeredFilters } from '../../src/events/capabilities.ts';
import { createFilterSupport } from '../../src/events/filter-support.ts';
import { allUpstreams, type UpstreamList, upstreamList } from '../../src/start/upstreams.ts';
import { metricTable } from '../../src/telemetry/metric-table.ts';
import type { OwnFieldsUpstream } from '../../src/upstream/upstream.ts';
import { exportsOf } from './api-reference.ts';
import { districts } from './districts.ts';
import { type NetworkFault, networkFaults } from './fault-proxy.ts';
import { type FaultCell, type FaultedCall, faultedCalls, impossible } from './upstream-fault-cells.ts';

/** A page with a generated part: its path, the name in the markers, and the text between them. */
export interface GeneratedPart {
  readonly page: string;
  readonly name: string;
  readonly content: string;
}

/** The files in `docs/examples` that pages about clients include. */
const examples = {
  'clients.md': ['client.ts', 'texts.ts', 'sponsor-with-iota.ts', 'sponsor-with-sui.ts', 'sponsor.ts', 'page.ts'],
  'clients/codegen.md': ['codegen.ts', 'operations.ts'],
  'clients/graphql-request.md': ['graphql-request.ts'],
  'clients/apollo.md': ['apollo.ts'],
  'clients/urql.md': ['urql.ts'],
  'clients/relay.md': ['relay.config.json', 'relay-events.ts', 'relay.ts'],
  'clients/gql-tada.md': ['gql-tada.ts'],
  'clients/streaming.md': ['streaming.ts'],
  'clients/fetch.md': ['fetch.ts'],
  'live-events.md': ['live.ts', 'live-in-react.ts'],
};

/** The modules that programs import, by the names of their parts in `docs/api.md`. */
const apiModules = {
  library: 'index.ts',
  client: 'client/client.ts',
  build: 'client/build.ts',
  schema: 'client/schema.ts',
};

/** The parts of the documentation that are generated from code. */
export function renderGeneratedParts(list: UpstreamList = upstreamList): readonly GeneratedPart[] {
  return [
    { page: 'docs/configuration.md', name: 'upstreams', content: toUpstreamTable(list) },
    { page: 'docs/configuration.md', name: 'configuration', content: toConfigurationTables(list) },
    { page: 'docs/errors.md', name: 'errors', content: toErrorTable() },
    { page: 'docs/errors.md', name: 'rules', content: toRuleTable() },
    { page: 'docs/monitoring.md', name: 'metrics', content: toMetricTable() },
    { page: 'docs/upstream-faults.md', name: 'faults', content: toFaultTables() },
    { page: 'docs/architecture.md', name: 'districts', content: toDistrictTable() },
    ...Object.entries(examples).flatMap(([page, names]) =>
      names.map((name) => ({ page: `docs/${page}`, name, content: toCode(name) })),
    ),
    { page: 'docs/live-events.md', name: 'filters', content: toFilterTables() },
    ...Object.entries(apiModules).map(([name, path]) => ({ page: 'docs/api.md', name, content: toApi(path) })),
    { page: 'README.md', name: 'networks', content: toNetworkTable() },
    { page: 'docs/deploy/README.md', name: 'capacity', content: toCapacityTable() },
  ];
}

function toCode(name: string): string {
  const text = readFileSync(new URL(`../../docs/examples/${name}`, import.meta.url), 'utf8');
  return `\`\`\`${name.slice(name.lastIndexOf('.') + 1)}\n${text}\`\`\`\n`;
}

function toApi(path: string): string {
  const declarations = [...exportsOf(new URL(`../../src/${path}`, import.meta.url)).values()];
  return `\`\`\`ts\n${declarations.join('\n\n')}\n\`\`\`\n`;
}

const marker = (name: string, edge: 'begin' | 'end') => `<!-- generated ${name} ${edge} -->`;

/**
 * Replaces the text between the markers.
 * @throws Error if the page has no such markers
 */
export function fillPage(page: string, { name, content }: Pick<GeneratedPart, 'name' | 'content'>): string {
  const [before, rest] = splitOnce(page, marker(name, 'begin'));
  const [, after] = splitOnce(rest, marker(name, 'end'));
  return `${before}${marker(name, 'begin')}\n\n${content}\n${marker(name, 'end')}${after}`;
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  if (at < 0) throw new Error(`the page has no ${separator}`);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

function toMetricTable(): string {
  const rows = Object.entries(metricTable).map(([name, { type, help, labels }]) => {
    const names = Object.keys(labels).map((label) => `\`${label}\``);
    return [`\`${name}\``, type, names.join(', ') || '–', help];
  });
  return `${toRow(['Metric', 'Type', 'Labels', 'Meaning'])}|---|---|---|---|\n${rows.map(toRow).join('')}`;
}

function toFaultTables(): string {
  const toEffect = (cells: FaultedCall['cells'], fault: NetworkFault) => {
    const { client, endedBy, log, metric }: Partial<FaultCell> = cells[fault] ?? {};
    if (!client || !endedBy || !metric) return toRow(['–', `cannot occur: ${impossible[fault]}`, '–', '–']);
    const shown = /^[A-Z_]+$/.test(client) ? `\`${client}\`` : client;
    return toRow([shown, endedBy.replace(/[A-Z_]{5,}/, '`$&`'), log ? `\`${log}\`` : '–', `\`${metric}\``]);
  };
  /** One row for all faults with the same effect. */
  const toFaultRows = (cells: FaultedCall['cells']) => {
    const effects = networkFaults.map((fault) => toEffect(cells, fault));
    const faultsWith = (effect: string) => networkFaults.filter((_, index) => effects[index] === effect).join(', ');
    return [...new Set(effects)].map((effect) => `| ${faultsWith(effect)} ${effect}`).join('');
  };
  return Object.values<FaultedCall>(faultedCalls)
    .map(({ title, query, others, recovery, cells }) => {
      const head = toRow(['Fault', 'Client receives', 'Ended by', 'Log line', 'Metric']);
      return `## ${title}\n\n\`\`\`graphql\n${query}\n\`\`\`\n\n${others} **Recovery:** ${recovery}\n\n${head}|---|---|---|---|---|\n${toFaultRows(cells)}`;
    })
    .join('\n');
}

/** Requests per second of one core, from the table of results in the benchmarks. */
function toCapacityTable(): string {
  const results = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');
  const rows = [...results.matchAll(/^\| (W[\w-]+ .+?) \| (\d+) µs \| [^|]+ \| ([\d.]+) \(/gm)].map(
    ([, workload = '', floorUs, ratio]) => {
      const cpuUs = Number(floorUs) * Number(ratio);
      const perSecond = Math.floor(1e4 / cpuUs) * 100;
      return [workload, `${cpuUs.toFixed()} µs`, perSecond.toLocaleString('en')];
    },
  );
  return `${toRow(['Workload', 'CPU per request', 'Requests per second'])}|---|---|---|\n${rows.map(toRow).join('')}`;
}

function toUpstreamTable({ graph, ownFields }: UpstreamList): string {
  const rows = [
    [graph.name, `\`${graph.setting.name}\``, 'the graph itself'],
    ...ownFields.map((upstream) => [upstream.name, `\`${upstream.setting.name}\``, toRootFields(upstream)]),
  ];
  return `${toRow(['Upstream', 'Its address', 'What it answers'])}|---|---|---|\n${rows.map(toRow).join('')}`;
}

function toRootFields({ typeDefs }: OwnFieldsUpstream): string {
  return parse(typeDefs())
    .definitions.flatMap((definition) =>
      'fields' in definition && definition.name && /^(Query|Mutation)$/.test(definition.name.value)
        ? (definition.fields ?? []).map(({ name }) => `\`${name.value}\``)
        : [],
    )
    .join(', ');
}

function toConfigurationTables(list: UpstreamList): string {
  const table = withAddresses(allUpstreams(list).map(({ setting }) => setting));
  const further = Object.keys(table).filter((name) => !configKeyNames.includes(name));
  return Object.entries(configGroups)
    .map(([group, keys]) => {
      const names = [...Object.keys(keys), ...(group === 'Network and upstreams' ? further : [])];
      const rows = names.flatMap((name) => {
        const key = table[name];
        if (!key) return [];
        return [toRow([`\`${name}\``, expectedOf(key.type), toDefault(key), key.description])];
      });
      const head = toRow(['Key', 'Value', 'Default', 'What it does']);
      return `## ${group}\n\n${head}|---|---|---|---|\n${rows.join('')}`;
    })
    .join('\n');
}

function toDefault({ fallback, fallbackText }: ConfigKey): string {
  if (fallbackText !== undefined) return fallbackText;
  return fallback === undefined ? 'unset' : `\`${String(fallback)}\``;
}

function toErrorTable(): string {
  const rows = Object.entries(errorCatalogue).map(([code, { status, meaning, retry, advice }]) =>
    toRow([`\`${code}\``, String(status), meaning, `\`${retry}\``, advice]),
  );
  return `${toRow(['Code', 'HTTP status', 'Meaning', '`retry`', 'What the client should do'])}|---|---|---|---|---|\n${rows.join('')}`;
}

function toRuleTable(): string {
  const rows = Object.entries(policyRules).map(([rule, { code, meaning, advice }]) =>
    toRow([`\`${rule}\``, `\`${code}\``, meaning, advice]),
  );
  return `${toRow(['Rule', 'Code', 'What is exceeded or not allowed', 'What the client should do'])}|---|---|---|---|\n${rows.join('')}`;
}

/** Districts from the innermost to the outermost, with the imports that each may have. */
function toDistrictTable(): string {
  const rows = Object.entries(districts).map(([name, { purpose, imports, packages }]) =>
    toRow([`\`${name}\``, purpose, imports.join(', ') || '–', packages.join(', ') || '–']),
  );
  return `${toRow(['District', 'What it holds', 'May import', 'Packages'])}|---|---|---|---|\n${rows.join('')}`;
}

/** Which filters work, by network and source. */
/** The filters that each network applies, for each source of events that it has. */
function filterColumns() {
  return Object.values(networkProfiles).flatMap((profile) => {
    const { indexer } = profile.events;
    const [lacking] = indexer?.lacks ?? [];
    const support = createFilterSupport(profile.events, () => 0);
    if (lacking) support.reject(lacking);
    const byNode = { title: `${profile.name}, \`rpc\``, offered: offeredFilters(profile, 'rpc') };
    const byIndexer = {
      title: `${profile.name}, \`rpc\` of an indexer`,
      offered: offeredFilters(profile, 'rpc', support.filters()),
    };
    const byGraphql = { title: `${profile.name}, \`graphql\``, offered: offeredFilters(profile, 'graphql') };
    return [
      ...(profile.eventsSource === 'graphql' ? [] : [byNode]),
      ...(lacking && profile.eventsSource === 'rpc' ? [byIndexer] : []),
      byGraphql,
    ];
  });
}

/** The filters that do not work, which are fewer. */
function toNetworkTable(): string {
  const missing = (filters: readonly (readonly [string, boolean])[]) =>
    filters.flatMap(([member, isOffered]) => (isOffered ? [] : [`\`${member}\``])).join(', ') || 'all work';
  const rows = filterColumns().map(({ title, offered }) =>
    toRow([title, missing(offered.events), missing(offered.transactions)]),
  );
  return `${toRow(['Network, source', 'Event filters that do not work', 'Transaction filters that do not work'])}|---|---|---|\n${rows.join('')}`;
}

function toFilterTables(): string {
  const columns = filterColumns();
  const toTable = (kind: 'events' | 'transactions', title: string) => {
    const members = columns[0]?.offered[kind].map(([member]) => member) ?? [];
    const rows = members.map((member, index) =>
      toRow([`\`${member}\``, ...columns.map(({ offered }) => (offered[kind][index]?.[1] ? 'yes' : '–'))]),
    );
    return `${toRow([title, ...columns.map((each) => each.title)])}|---|${'---|'.repeat(columns.length)}\n${rows.join('')}`;
  };
  return `${toTable('events', '`EventQueryFilter`')}\n${toTable('transactions', '`TransactionQueryFilter`')}`;
}

function toRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`;
}
