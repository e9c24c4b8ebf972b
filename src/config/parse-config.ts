import { limitDefaults } from './caller-keys.ts';
import { checkSettings, type Settings, toMissing, toSponsorAuth } from './check-settings.ts';
import { type ClientsFile, parseClients } from './client.ts';
import type { Config, Upstreams } from './config.ts';
import { ConfigError, type ConfigMistake, quoteText } from './config-error.ts';
import type { ConfigSource, ReadFile } from './config-source.ts';
import { parseManifest } from './document-manifest.ts';
import { type ConfigValues, withAddresses } from './keys.ts';
import {
  findNetworkProfile,
  networkProfiles,
  type ProfileResult,
  parseNetworkProfile,
  parseProfileFile,
} from './network-profile.ts';
import {
  findUnknownVariables,
  type Parsed,
  type RawSettings,
  readContent,
  readSettings,
  toErrorCode,
} from './read-settings.ts';
import {
  type AddressSetting,
  type ConfigKey,
  type ConfigTable,
  expectedOf,
  parseText,
  showText,
} from './value-types.ts';

/**
 * Turns environment and configuration file into a checked configuration.
 * @param addressSettings of all upstreams; the table of settings may lack some
 * @throws ConfigError with every mistake
 */
export function parseConfig(source: ConfigSource, addressSettings: readonly AddressSetting[] = []): Config {
  const table = withAddresses(addressSettings);
  const raw = readSettings(source, table);
  const parsed = parseValues(table, raw.texts, source.readFile);
  const read = <Content extends object>(setting: string, parse: (text: string) => Parsed<Content>) =>
    readContent(setting, raw.texts.get(setting), source.readFile, parse);
  const clients = read('CLIENTS_FILE', (text) => parseClients(text, source.readFile));
  const trusted = read('TRUSTED_DOCUMENTS_FILE', (text) => parseManifest(text));
  const broken = new Set([...raw.mistakes, ...parsed.mistakes].map(({ key }) => key));
  const isWritten = (name: string) => raw.texts.has(name) || broken.has(name);
  const fileOf = new Map(Object.entries(table).map(([file, { holds }]) => [holds, file]));
  const isSet = (name: string) => isWritten(name) || isWritten(fileOf.get(name) ?? '');
  const values = parsed.values as ConfigValues;
  const settings: Settings = { table, values, isSet, isWritten };
  const base = broken.has('NETWORK_PROFILE')
    ? { profile: networkProfiles.ledger }
    : readNetworkProfile(values.NETWORK_PROFILE, source.readFile);
  const overrides = values.PROFILE_OVERRIDES;
  const profile = 'profile' in base && overrides ? parseNetworkProfile(base.profile, overrides) : base;

  // Skip the checks between settings if the file is unreadable, since it is unknown what was set; and do not report a second
  // mistake for one key.
  const combined = broken.has('CONFIG_FILE') ? [] : checkSettings(settings).filter(({ key }) => !broken.has(key));
  const mistakes = [
    ...raw.mistakes,
    ...parsed.mistakes,
    ...clients.mistakes,
    ...trusted.mistakes,
    ...(isSet('TRUSTED_DOCUMENTS_FILE') ? [] : policiesWithoutManifest(clients.content)),
    ...combined,
    ...('mistakes' in profile ? profile.mistakes : []),
  ];
  if (mistakes.length > 0 || 'mistakes' in profile) throw new ConfigError(mistakes);
  return {
    ...toConfig(settings),
    profile: profile.profile,
    clients: clients.content,
    trustedDocuments: trusted.content,
    spans: readSpans(source.env),
    unknownVariables: findUnknownVariables(source.env, Object.keys(table)),
  };
}

/** OpenTelemetry specifies these variables. The exporter reads others that begin with `OTEL_EXPORTER_OTLP_` itself. */
function readSpans(env: ConfigSource['env']): Config['spans'] {
  if (!Object.keys(env).some((name) => name.startsWith('OTEL_'))) return null;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = env;
  return { serviceName: env.OTEL_SERVICE_NAME ?? 'ledger-gateway', hasCollector: Boolean(all || traces) };
}

/** @param chosen `auto`, a name, or the path of a file */
function readNetworkProfile(chosen: string, readFile: ReadFile): ProfileResult {
  const builtIn = findNetworkProfile(chosen === 'auto' ? 'ledger' : chosen);
  if (builtIn) return { profile: builtIn };
  try {
    return parseProfileFile(readFile(chosen));
  } catch (error) {
    const got = `${quoteText(chosen)}, which cannot be read (${toErrorCode(error)})`;
    return { mistakes: [{ key: 'NETWORK_PROFILE', expected: 'a path to a readable file', got }] };
  }
}

/** Without a manifest, a client with the policy `only` could run nothing. */
function policiesWithoutManifest(file: ClientsFile | null): ConfigMistake[] {
  return (file?.clients ?? []).flatMap(({ documents }, index) =>
    documents === null ? [] : [toMissing(`CLIENTS_FILE.${index}.documents`, 'TRUSTED_DOCUMENTS_FILE')],
  );
}

interface ParsedValues {
  /** A setting with a mistake has its default here. A secret from a file appears under the secret's own name. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly mistakes: readonly ConfigMistake[];
}

/** Parses every setting on its own; `checkSettings` checks their combinations. */
function parseValues(table: ConfigTable, texts: RawSettings['texts'], readFile: ReadFile): ParsedValues {
  const mistakes: ConfigMistake[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, key] of Object.entries(table)) {
    const parsed = parseValue(key, texts.get(name));
    values[name] = 'value' in parsed ? parsed.value : (key.fallback ?? null);
    if ('expected' in parsed) mistakes.push({ key: name, ...parsed });
    const secret = key.holds === undefined ? undefined : table[key.holds];
    if (key.holds === undefined || !secret || typeof values[name] !== 'string' || texts.has(key.holds)) continue;
    const read = readSecret(secret, values[name], readFile);
    if ('expected' in read) mistakes.push({ key: name, ...read });
    else values[key.holds] = read.value;
  }
  return { values, mistakes };
}

type ParsedValue = { readonly value: unknown } | Omit<ConfigMistake, 'key'>;

function parseValue({ type, fallback = null }: ConfigKey, text: string | undefined): ParsedValue {
  if (text === undefined) return { value: fallback };
  const value = parseText(type, text);
  return value === undefined ? { expected: expectedOf(type), got: showText(type, text) } : { value };
}

function readSecret({ type }: ConfigKey, path: string, readFile: ReadFile): ParsedValue {
  let text: string;
  try {
    text = readFile(path).trim();
  } catch (error) {
    return { expected: 'a path to a readable file', got: `one that cannot be read (${toErrorCode(error)})` };
  }
  const value = parseText(type, text);
  if (text !== '' && value !== undefined) return { value };
  const got = text === '' ? 'an empty one' : 'one that holds something else';
  return { expected: `a file that holds ${expectedOf(type)}`, got };
}

/**
 * Larger than any body that known ledgers accept: query, transaction and variables together. Small enough that a few hundred
 * hostile bodies fit in memory.
 */
const maxBodyBytes = 1_048_576;

function toConfig(
  settings: Settings,
): Omit<Config, 'profile' | 'clients' | 'trustedDocuments' | 'spans' | 'unknownVariables'> {
  const { table, values } = settings;
  return {
    settings: values,
    port: values.PORT,
    upstreams: toUpstreams(table, values),
    sponsorship: toSponsorship(settings),
    // With Redis, all instances share a key there, which rotating the lease keys does not change.
    cursorKeys: values.CURSOR_KEYS ?? (values.REDIS_URL === null ? values.LEASE_KEYS : null),
    pages: {
      defaultSize: values.LIMIT_DEFAULT_PAGE_SIZE ?? Math.min(limitDefaults.pageSize, values.LIMIT_MAX_PAGE_SIZE),
      maxSize: values.LIMIT_MAX_PAGE_SIZE,
    },
    limits: {
      documents: {
        maxQueryDepth: values.LIMIT_MAX_QUERY_DEPTH,
        maxQueryNodes: values.LIMIT_MAX_QUERY_NODES,
        maxOutputNodes: values.LIMIT_MAX_OUTPUT_NODES,
        maxQueryPayloadSize: values.LIMIT_MAX_QUERY_PAYLOAD_SIZE,
        maxTransactionPayloadSize: values.LIMIT_MAX_TRANSACTION_PAYLOAD_SIZE,
      },
      maxTransactionPayloadBytes: values.LIMIT_MAX_TRANSACTION_PAYLOAD_SIZE ?? limitDefaults.transactionPayloadBytes,
      maxBodyBytes,
    },
    timeouts: { queryMs: values.REQUEST_TIMEOUT_MS, mutationMs: values.MUTATION_TIMEOUT_MS },
    redis: values.REDIS_URL === null ? null : { url: values.REDIS_URL, sharedBy: values.REDIS_SHARED_BY },
    trustedProxies: values.TRUSTED_PROXIES ?? [],
    jwt: toJwtRules(values),
  };
}

function toJwtRules(values: ConfigValues): Config['jwt'] {
  const { JWT_JWKS_URL: keysUrl, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = values;
  if (keysUrl === null || issuer === null || audience === null) return null;
  const { JWT_SCOPES_CLAIM: scopesClaim, JWT_GAS_PER_DAY: gasPerDay, JWT_MOVE_CALLS: moveCalls } = values;
  const { JWT_GAS_PER_DAY_IN_ALL: gasPerDayInAll } = values;
  return { keysUrl, issuer, audience, scopesClaim, gasPerDay, gasPerDayInAll, moveCalls };
}

function toUpstreams(table: ConfigTable, values: Readonly<Record<string, unknown>>): Upstreams {
  if (values.LEDGER_GRAPHQL_URL === null) return { kind: 'devnet' };
  const addresses = Object.entries(values)
    .filter(([name, value]) => table[name]?.isAddress === true && value !== null)
    .map(([name, value]) => [name, [value].flat()] as [string, string[]]);
  return { kind: 'remote', addresses: Object.fromEntries(addresses) };
}

function toSponsorship(settings: Settings): Config['sponsorship'] {
  const { values } = settings;
  const isEmbedded = values.LEDGER_GRAPHQL_URL === null;
  const auth = toSponsorAuth(settings);
  return {
    auth,
    token: auth === 'token' || isEmbedded ? values.SPONSOR_TOKEN : null,
    allowAnonymous: values.SPONSOR_ALLOW_ANONYMOUS ?? isEmbedded,
    maxOpenReservations: values.SPONSOR_MAX_OPEN_RESERVATIONS,
    maxGasBudgetExclusive: values.SPONSOR_MAX_GAS_BUDGET,
    preflight: values.SPONSOR_PREFLIGHT ?? (auth === 'token' ? 'enforce' : 'warn'),
    unreadable: values.SPONSOR_UNREADABLE,
    dryRun: values.SPONSOR_DRY_RUN,
    hook: toHook(settings),
    sendsCaller: values.SPONSOR_SENDS_CALLER,
    // Only a program has a folder for its state.
    journal: null,
  };
}

function toHook({ values }: Settings): Config['sponsorship']['hook'] {
  const { SPONSOR_POLICY_URL: url, SPONSOR_POLICY_SECRET: secret } = values;
  return url === null || secret === null ? null : { url, secret, isOpen: values.SPONSOR_POLICY_FAIL === 'open' };
}
