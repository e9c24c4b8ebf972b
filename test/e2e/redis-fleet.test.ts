import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, redisMissing, startRedis } from '../support/redis-server.ts';
import { type RunningCli, runCli } from '../support/run-cli.ts';

interface Instance {
  readonly cli: RunningCli;
  readonly url: string;
}

const password = 'hunter2-of-the-fleet';

async function startInstance(redis: RedisServer, env: Record<string, string>): Promise<Instance> {
  const REDIS_URL = redis.url.replace('//', `//default:${password}@`);
  const cli = runCli(['serve'], { PORT: '0', REDIS_URL, ...env });
  const [, url = ''] = await cli.waitFor(/"url":"([^"]+)"[^\n]*"msg":"ready"/);
  return { cli, url };
}

/** One operation of the caller at an address. */
const ask = async ({ url }: Instance, address: string) => {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
  await response.text();
  return { status: response.status, tookMs: performance.now() - startedAt };
};

describe.skipIf(redisMissing)(redisMissing ?? 'two instances of the built gateway on one Redis', () => {
  const perMinute = 60;
  let redis: RedisServer;
  let fleet: [Instance, Instance];

  beforeAll(async () => {
    redis = await startRedis(['--requirepass', password]);
    const env = { RATE_LIMIT_PER_MINUTE: String(perMinute), REDIS_SHARED_BY: '2', TRUSTED_PROXIES: '127.0.0.1' };
    fleet = await Promise.all([startInstance(redis, env), startInstance(redis, env)]);
  });
  afterAll(async () => {
    redis?.thaw();
    for (const { cli } of fleet ?? []) {
      cli.child.kill('SIGTERM');
      expect(await cli.ended).toBe(0);
    }
    await redis?.[Symbol.asyncDispose]();
  });

  const askBoth = (times: number, address: string) =>
    Promise.all(Array.from({ length: times }, (_, index) => ask(fleet[index % 2]!, address)));
  /** A few at a time: the instances give Redis 300 ms, also on a machine that is busy with other tests. */
  const askInWaves = async (times: number, address: string) => {
    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    while (answers.length < times) answers.push(...(await askBoth(10, address)));
    return answers;
  };
  const granted = (answers: readonly { readonly status: number }[]) => answers.filter(({ status }) => status === 200);

  test('hold one total', async () => {
    const answers = await askInWaves(150, '203.0.113.1');
    expect(granted(answers)).toHaveLength(perMinute);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(150 - perMinute);
  });

  test('go on with their shares while it is frozen, and count together again when it thaws', async () => {
    redis.freeze();
    const answers = await askBoth(150, '203.0.113.2');
    expect(granted(answers)).toHaveLength(perMinute);
    expect(Math.max(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(2_000);
    for (const { cli } of fleet) await cli.waitFor(/"msg":"the shared counts are away/);

    redis.thaw();
    for (const { cli } of fleet) await cli.waitFor(/"msg":"the shared counts are back"/);
    expect(granted(await askInWaves(150, '203.0.113.3'))).toHaveLength(perMinute);
  });

  test('never write the password', () => {
    for (const { cli } of fleet) expect(cli.out() + cli.error()).not.toContain(password);
  });
});
