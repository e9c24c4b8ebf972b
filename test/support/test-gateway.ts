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
  close(drainMs?: number): Promise<void>;
}

/**
 * A gateway in this process, configured as the environment would, on a port of its own.
 * @param files what the configuration may read, by path
 * @param list what is behind it
 * @param now its clock
 */
export async function createTestGateway(
  env: Record<string, string> = {},
  files: Readonly<Record<string, string>> = {},
  list = upstreamList,
  now: () => number = Date.now,
): Promise<TestGateway> {
  // A misspelt key would leave the test to pass without what it sets.
  const addresses = allUpstreams(list).map(({ setting }) => setting.name);
  for (const key of Object.keys(env))
    if (!configKeyNames.includes(key) && !addresses.includes(key)) throw new Error(`there is no setting ${key}`);
  const log: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void log.push(JSON.parse(line)) };
  const config = readConfig(
    {
      // Tests ask faster than people do; those about limits set one. What a test lets a ledger say is heard each time, as it
      // would be of most fields; those about what never changes turn memory on.
      env: { PORT: '0', RATE_LIMIT_PER_MINUTE: '0', IMMUTABLE_CACHE_BYTES: '0', ...env },
      readFile: (path) => {
        const text = files[path];
        if (text === undefined) throw new Error('this test has no such file');
        return text;
      },
    },
    list,
  );
  const { clientsFile } = config;
  // Read from what the test gives, and not from a disk that has no such file: nothing is to be looked at again.
  const watched = clientsFile !== null && existsSync(clientsFile) ? clientsFile : null;
  const logger = createLogger({ level: config.logLevel, destination });
  const gateway = await startGatewayOver(list, { config: { ...config, clientsFile: watched }, logger, now });
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
    close: (drainMs) => gateway.close(drainMs),
    [Symbol.asyncDispose]: () => gateway.close(),
  };
}
