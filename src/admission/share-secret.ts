import { Secret } from '../config/secret.ts';
import { connectRedis, type RedisOptions } from './connect-redis.ts';

export interface ShareSecretOptions extends RedisOptions {
  /** Its key in Redis. */
  readonly name: string;
  /** Offered to the others, and gone by until it is known what they have. */
  readonly own: Secret;
  /** Told of each secret that is to be used from now on. */
  readonly adopt: (secret: Secret) => void;
  /** How often it is looked for again, in milliseconds. */
  readonly everyMs?: number;
}

export interface SharedSecret {
  close(): void;
}

/** A Redis that was emptied has it back within a minute, so that an instance started then gets what the others have. */
const defaultEveryMs = 60_000;

/**
 * Has all instances on one Redis use one secret: whoever comes first puts its own there, everybody takes what is there. While
 * Redis is away each goes on with what it has, and looks again when it is back.
 * @returns when it has been looked for, or Redis has had its chance to answer
 */
export async function shareSecret(options: ShareSecretOptions): Promise<SharedSecret> {
  const { name, adopt, everyMs = defaultEveryMs } = options;
  let current = options.own;

  const exchange = async (): Promise<void> => {
    await redis.set(name, current.reveal(), 'NX');
    const there = await redis.get(name);
    // What is no secret of ours was put there by somebody else.
    if (there === null || !/^[\x21-\x7e]{32,}$/.test(there) || there === current.reveal()) return;
    current = new Secret(there);
    adopt(current);
  };
  // Redis being away is told once, by those who count in it.
  const tryExchange = (): Promise<void> => exchange().catch(() => {});

  const redis = await connectRedis(options, { failed: () => {}, ready: () => {} });
  await tryExchange();
  redis.on('ready', tryExchange);
  const timer = setInterval(tryExchange, everyMs).unref();
  return {
    close: () => {
      clearInterval(timer);
      redis.disconnect();
    },
  };
}
