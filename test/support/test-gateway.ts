import { existsSync } from 'node:fs';
import { configKeyNames } from '../../src/config/keys.ts';
import { readConfig } from '../../src/start/read-config.ts';
import { startGatewayOver } from '../../src/start/start.ts';
import { allUpstreams, upstreamList } from '../../src/start/upstreams.ts';
import { createLogger } from '../../src/telemetry/logger.ts';

export interface GraphqlAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
  readonly data: any;
  readonly errors:
    | { message: string; path?: (string | number)[]; extensions: Record<string, unknown>; locations?: unknown }[]
    | undefined;
  readonly text: string;
}

export interface TestGateway extends AsyncDisposable {
  readonly url: string;
  /** Log lines so far, parsed. */
  readonly log: Record<string, unknown>[];
  query(query: string, variables?: object, headers?: Record<string, string>): Promise<GraphqlAnswer>;
  reload(): Promise<void>;
  close(drainMs?: number): Promise<void>;
}

/**
 * A gateway in this process, configured as by the environment, on its own port.
 * @param files contents of configuration files, by path
 * @param list upstreams behind it
 * @param now its clock
 * @param journal the folder of its sponsorship store
 */
export async function createTestGateway(
  env: Record<string, string> = {},
  files: Readonly<Record<string, string>> = {},
  list = upstreamList,
  now: () => number = Date.now,
  journal: string | null = null,
): Promise<TestGateway> {
  // A misspelt key would make the test pass without its setting.
  const addresses = allUpstreams(list).map(({ setting }) => setting.name);
  for (const key of Object.keys(env))
    if (!configKeyNames.includes(key) && !addresses.includes(key)) throw new Error(`there is no setting ${key}`);
  const log: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void log.push(JSON.parse(line)) };
  const config = readConfig(
    {
      // Tests send faster than people do, so limits are set only by tests about limits. Each scripted response of a ledger
      // must arrive, so only tests about immutable reads turn the cache on.
      env: { PORT: '0', RATE_LIMIT_PER_MINUTE: '0', IMMUTABLE_CACHE_BYTES: '0', ...env },
      readFile: (path) => {
        const text = files[path];
        if (text === undefined) throw new Error('this test has no such file');
        return text;
      },
    },
    list,
  );
  // Contents come from the test and not from disk, so no file is watched.
  const onDisk = (path: string | null) => (path !== null && existsSync(path) ? path : null);
  const settings = {
    ...config.settings,
    CLIENTS_FILE: onDisk(config.settings.CLIENTS_FILE),
    TRUSTED_DOCUMENTS_FILE: onDisk(config.settings.TRUSTED_DOCUMENTS_FILE),
  };
  const logger = createLogger({ level: config.settings.LOG_LEVEL, destination });
  const sponsorship = { ...config.sponsorship, journal };
  const gateway = await startGatewayOver(list, { config: { ...config, settings, sponsorship }, logger, now });
  return {
    url: gateway.url,
    log,
    async query(query, variables, headers = {}) {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables }),
      });
      const text = await response.text();
      const { data, errors } = JSON.parse(text);
      return { status: response.status, headers: response.headers, data, errors, text };
    },
    reload: () => gateway.reload(),
    close: (drainMs) => gateway.close(drainMs),
    [Symbol.asyncDispose]: () => gateway.close(),
  };
}
