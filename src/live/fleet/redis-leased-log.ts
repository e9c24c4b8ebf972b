import { createHash, randomInt, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { connectRedis, type RedisOptions, readRedisScripts } from '../../upstream/connect-redis.ts';
import type { LeasedLog, LeasedLogs, LogView, OnLogChange } from './leased-log.ts';

/** All keys are in one slot of a Redis cluster. */
const prefix = 'ledger-gateway:{live}:';
/** Milliseconds until a step times out. Longer than usual, because an entry may have 256 KiB. */
const defaultTimeoutMs = 1_000;
/** Milliseconds after which another process replaces a leader that does not renew its lease. */
const leaseMs = 3_000;
/** Milliseconds after which entries that are no longer read or renewed expire. */
const keptMs = 60_000;
const maxEntriesRead = 32;
/** Far below 2^53: larger numbers are not exact in Lua. */
const maxFirstNumber = 2 ** 40;

const steps = ['read', 'lead', 'append', 'ask', 'leave'] as const;
type Step = (typeof steps)[number];

export function liveScripts(): Readonly<Record<Step, string>> {
  return readRedisScripts(new URL('.', import.meta.url), steps, { leaseMs, keptMs, maxEntriesRead });
}

type ReadReply = readonly [
  leader: LogView['leader'],
  newest: string,
  entries: readonly (readonly [id: string, fields: readonly [string, string, string, string]])[],
];

/**
 * Leased logs in Redis: a lease and a stream for each query. The first log opens two connections, one for commands and one for
 * messages. Both reconnect by themselves.
 */
export function createRedisLeasedLogs({ url, timeoutMs = defaultTimeoutMs }: RedisOptions): LeasedLogs {
  const process = randomUUID();
  /** By channel: the logs of this process that listen to it. */
  const listeners = new Map<string, Set<OnLogChange>>();
  const leaving = new Set<Promise<void>>();
  let opened = 0;
  let isClosed = false;
  let connecting: Promise<Connections> | undefined;

  const connect = () => {
    connecting ??= openConnections({ url, timeoutMs }, listeners);
    return connecting;
  };

  function open(query: string, onChange: OnLogChange): LeasedLog {
    opened += 1;
    const me = `${process}:${opened}`;
    const name = prefix + createHash('sha256').update(query).digest('base64url');
    const channel = `${name}:news`;
    listeners.set(channel, (listeners.get(channel) ?? new Set()).add(onChange));
    const listening = connect().then(({ listen }) => listen([channel]));
    const run = async (step: Step, ...rest: readonly (string | number)[]): Promise<unknown> => {
      const { commands } = await connect();
      if (isClosed) throw new Error('the log is closed');
      return commands[commandOf(step)]?.(`${name}:lease`, channel, me, ...rest);
    };
    const leave = async () => {
      const own = listeners.get(channel);
      own?.delete(onChange);
      if (own?.size === 0) listeners.delete(channel);
      await listening;
      if (!listeners.has(channel)) (await connect()).ignore(channel);
      await run('leave');
    };
    return {
      async read(after, renew) {
        const [leader, newest, entries] = (await run('read', after ?? '', renew ? 1 : 0)) as ReadReply;
        return {
          leader,
          newest: newest || null,
          entries: entries.map(([id, [, behind, , text]]) => ({ id, behind: behind || null, text })),
        };
      },
      lead: async (opening) => (await run('lead', opening, randomInt(1, maxFirstNumber))) as string | null,
      append: async (after, entry, maxEntries) => (await run('append', after, entry, maxEntries)) as string | null,
      async ask(ask) {
        await run('ask', ask);
      },
      leave() {
        const left = leave();
        leaving.add(left);
        void left.catch(() => {}).then(() => leaving.delete(left));
        return left;
      },
    };
  }

  return {
    open,
    async close() {
      await Promise.allSettled(leaving);
      isClosed = true;
      (await connecting)?.close();
    },
  };
}

interface Connections {
  readonly commands: Readonly<Record<string, (...args: readonly (string | number)[]) => Promise<unknown>>>;
  listen(channels: readonly string[]): void;
  ignore(channel: string): void;
  close(): void;
}

async function openConnections(
  options: RedisOptions,
  listeners: ReadonlyMap<string, ReadonlySet<OnLogChange>>,
): Promise<Connections> {
  // Commands report failures. A connection that is subscribed can send no other commands.
  const failed = () => {};
  let listening: Redis | undefined;
  const listen = (channels: readonly string[]) => {
    if (channels.length > 0) void listening?.subscribe(...channels).catch(() => {});
  };
  const [redis, other] = await Promise.all([
    connectRedis(options, { failed, ready: () => {} }),
    connectRedis(options, { failed, ready: () => listen([...listeners.keys()]) }),
  ]);
  listening = other;
  other.on('message', (channel: string, ask: string) => {
    for (const onChange of [...(listeners.get(channel) ?? [])]) onChange(ask);
  });
  listen([...listeners.keys()]);
  const scripts = liveScripts();
  for (const step of steps) redis.defineCommand(commandOf(step), { numberOfKeys: 2, lua: scripts[step] });
  return {
    commands: redis as unknown as Connections['commands'],
    listen,
    ignore: (channel) => void other.unsubscribe(channel).catch(() => {}),
    close() {
      redis.disconnect();
      other.disconnect();
    },
  };
}

/** Prefixed, because the client has methods of its own. */
function commandOf(step: Step): string {
  return `live_${step}`;
}
