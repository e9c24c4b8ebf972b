import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, redisMissing, startRedis } from '../support/redis-server.ts';
import { type RunningCli, runCli } from '../support/run-cli.ts';
import { until } from '../support/until.ts';

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
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
  await response.text();
  return { status: response.status };
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
  const granted = (answers: readonly { readonly status: number }[]) => answers.filter(({ status }) => status === 200);
  const logged = (message: string) => fleet.reduce((sum, { cli }) => sum + cli.out().split(message).length - 1, 0);
  const timesAway = () => logged('"msg":"shared rate limit store unavailable');
  const timesBack = () => logged('"msg":"shared rate limit store available again"');
  let callers = 0;
  /**
   * Sends 150 operations, a few at a time, as a new caller. Instances wait 300 ms for Redis. If a busy machine took longer,
   * they log it, and another caller tries again.
   */
  const askTogether = async () => {
    for (;;) {
      const before = timesAway();
      const address = `203.0.113.${++callers}`;
      const answers: Awaited<ReturnType<typeof ask>>[] = [];
      while (answers.length < 150) answers.push(...(await askBoth(10, address)));
      if (granted(answers).length === perMinute) return answers;
      await until(() => timesAway() > before, `${granted(answers).length} were granted, and Redis was in time`);
      await until(() => timesBack() === timesAway(), 'Redis in time again');
    }
  };

  test('share one total', async () => {
    const answers = await askTogether();
    expect(granted(answers)).toHaveLength(perMinute);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(150 - perMinute);
  });

  test('use their shares while Redis is frozen, and count together again afterwards', async () => {
    redis.freeze();
    const before = timesAway();
    // All of them are answered before Redis resumes.
    const answers = await askBoth(150, '198.51.100.1');
    expect(granted(answers)).toHaveLength(perMinute);
    await until(() => timesAway() === before + 2, 'both instances to say so');

    redis.thaw();
    await until(() => timesBack() === timesAway(), 'both instances to count together');
    expect(granted(await askTogether())).toHaveLength(perMinute);
  });

  test('never log the password', () => {
    for (const { cli } of fleet) expect(cli.out() + cli.error()).not.toContain(password);
  });
});
