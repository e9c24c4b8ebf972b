import { createHash, randomInt, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { connectRedis, type RedisOptions } from '../../upstream/connect-redis.ts';
import type { Board, BoardQuery } from './board.ts';
import { type RedisStep, redisPrefix, redisScripts } from './redis-scripts.ts';

/** Milliseconds that a step may take before Redis counts as away. An entry may have some hundred kilobytes. */
const defaultTimeoutMs = 1_000;

/** Far below 2^53, to which numbers are exact in scripts. */
const firstNumbers = 2 ** 40;

/**
 * A board in Redis: a stream, a hash and a lease for each query, and a channel that rings. Each step is one script. Two connections,
 * opened when the first query is; then they go on trying by themselves.
 */
export function createRedisBoard({ url, timeoutMs = defaultTimeoutMs }: RedisOptions): Board {
  const me = randomUUID();
  const rings = new Map<string, Set<(why: Ring) => void>>();
  const leaving = new Set<Promise<void>>();
  let opened = 0;
  let isClosed = false;
  let connecting: Promise<Connections> | undefined;

  const connect = (): Promise<Connections> => {
    connecting ??= openConnections({ url, timeoutMs }, rings);
    return connecting;
  };
  return {
    open(query, ring) {
      opened += 1;
      const name = redisPrefix + createHash('sha256').update(query).digest('base64url');
      const channel = `${name}:rings`;
      const listeners = rings.get(channel) ?? new Set();
      rings.set(channel, listeners.add(ring));
      const keys = [`${name}:state`, `${name}:lease`, `${name}:news`];
      const who = `${me}:${opened}`;
      const hearing = connect().then(({ subscribe }) => subscribe(channel));
      const step = async (step: RedisStep, ...rest: readonly (string | number)[]): Promise<unknown> => {
        const { commands } = await connect();
        if (isClosed) throw new Error('the board is closed');
        return commands[stepName(step)]?.(...keys, who, channel, ...rest);
      };
      return {
        ...createSteps(step),
        leave() {
          listeners.delete(ring);
          if (listeners.size === 0) rings.delete(channel);
          const left = hearing
            .then(() => connect())
            .then(({ unsubscribe }) => {
              if (!rings.has(channel)) unsubscribe(channel);
              return step('leave').then(() => {});
            });
          leaving.add(left);
          void left.catch(() => {}).then(() => leaving.delete(left));
          return left;
        },
      };
    },
    async close() {
      await Promise.allSettled(leaving);
      isClosed = true;
      (await connecting)?.close();
    },
  };
}

type Ring = 'told' | 'asked' | 'left';

interface Connections {
  readonly commands: Readonly<Record<string, (...args: readonly (string | number)[]) => Promise<unknown>>>;
  subscribe(channel: string): void;
  unsubscribe(channel: string): void;
  close(): void;
}

async function openConnections(
  options: RedisOptions,
  rings: ReadonlyMap<string, ReadonlySet<(why: Ring) => void>>,
): Promise<Connections> {
  // A connection that hears rings cannot do anything else. One that breaks is told of by the other.
  let hearing: Redis | undefined;
  const hear = (channels: readonly string[]) => {
    if (channels.length > 0) void hearing?.subscribe(...channels).catch(() => {});
  };
  const ignore = { failed: () => {}, ready: () => hear([...rings.keys()]) };
  const [redis, other] = await Promise.all([
    connectRedis(options, { ...ignore, ready: () => {} }),
    connectRedis(options, ignore),
  ]);
  hearing = other;
  other.on('message', (channel: string, why: Ring) => {
    for (const ring of [...(rings.get(channel) ?? [])]) ring(why);
  });
  hear([...rings.keys()]);
  for (const { step, lua } of redisScripts) redis.defineCommand(stepName(step), { numberOfKeys: 3, lua });
  return {
    commands: redis as unknown as Connections['commands'],
    subscribe: (channel) => hear([channel]),
    unsubscribe: (channel) => void other.unsubscribe(channel).catch(() => {}),
    close() {
      redis.disconnect();
      other.disconnect();
    },
  };
}

/** As a method of the client, which has others of its own. */
function stepName(step: string): string {
  return `live_${step}`;
}

type Step = (step: RedisStep, ...rest: readonly (string | number)[]) => Promise<unknown>;
type EntryReply = readonly [id: string, fields: readonly [string, string, string, string]];
type LookReply = readonly [
  leader: 'me' | 'other' | 'nobody',
  tail: string,
  front: string,
  asked: string,
  caught: string,
  entries: readonly EntryReply[],
];

function createSteps(step: Step): Omit<BoardQuery, 'leave'> {
  return {
    async look(behind, held) {
      const [leader, tail, front, asked, caught, entries] = (await step(
        'look',
        behind ?? '',
        held?.token ?? '',
      )) as LookReply;
      return {
        leader,
        tail: tail || null,
        front: readFront(front),
        asked: Number(asked),
        caught: Number(caught),
        entries: entries.map(([id, [, before, , text]]) => ({ id, behind: before || null, text })),
      };
    },
    async lead({ text, front }) {
      const taken = (await step('lead', text, writeFront(front), randomInt(1, firstNumbers))) as
        | readonly [string, string, string]
        | null;
      return taken && { token: taken[0], id: taken[1], asked: Number(taken[2]) };
    },
    async add({ token }, behind, { text, front }, mostBytes) {
      return (await step('add', token, behind, text, writeFront(front), Math.floor(mostBytes))) as string | null;
    },
    ask: async () => Number(await step('ask')),
    async answer({ token }, asked) {
      await step('answer', token, asked);
    },
  };
}

/** Unknown, none, or a name. */
function writeFront(front: string | null | undefined): string {
  return front === undefined ? '' : front === null ? '-' : `:${front}`;
}

function readFront(text: string): string | null | undefined {
  return text === '' ? undefined : text === '-' ? null : text.slice(1);
}
