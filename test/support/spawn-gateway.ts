import { type RunningCli, runCli } from './run-cli.ts';

/** The built gateway in its own process. */
export interface SpawnedGateway extends AsyncDisposable {
  readonly cli: RunningCli;
  readonly pid: number;
  readonly port: number;
  /** URL of its GraphQL endpoint. */
  readonly url: string;
  /** Log lines with this message, parsed. */
  logged(message: string): Record<string, unknown>[];
  /** Log lines of level error and above, and output outside the log. */
  complaints(): string[];
}

/** Log lines that report no problem. */
const harmless = /^\{"level":"(trace|debug|info|warn)"/;

/**
 * Starts the gateway; resolves when it is ready.
 * @param nodeOptions for Node itself
 */
export async function spawnGateway(
  env: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): Promise<SpawnedGateway> {
  const cli = runCli(['serve'], { PORT: '0', HOST: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '0', ...env }, nodeOptions);
  const [, url = ''] = await cli.waitFor(/"url":"(http:[^"]+)"[^\n]*"msg":"ready"/);
  const lines = () => cli.out().split('\n').slice(0, -1);
  return {
    cli,
    pid: cli.child.pid ?? 0,
    port: Number(new URL(url).port),
    url,
    logged: (message) =>
      lines()
        .filter((line) => line.endsWith(`"msg":${JSON.stringify(message)}}`))
        .map((line) => JSON.parse(line)),
    complaints: () => [...lines().filter((line) => !harmless.test(line)), ...(cli.error() === '' ? [] : [cli.error()])],
    async [Symbol.asyncDispose]() {
      cli.child.kill('SIGKILL');
      await cli.ended;
    },
  };
}
