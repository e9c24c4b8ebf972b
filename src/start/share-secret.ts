import { Secret } from '../config/secret.ts';
import { connectRedis, type RedisOptions } from '../upstream/connect-redis.ts';

export interface ShareSecretOptions extends RedisOptions {
  /** The secret's key in Redis. */
  readonly name: string;
  /** The secret of this instance: used until Redis tells another, and offered to Redis if it has none. */
  readonly own: Secret;
  /** Called with each secret that replaces the one in use. */
  readonly adopt: (secret: Secret) => void;
  /** Milliseconds between two looks into Redis. */
  readonly everyMs?: number;
}

export interface SharedSecret {
  close(): void;
}

/** Puts the secret back within a minute after Redis was emptied, so that new instances find it again. */
const defaultEveryMs = 60_000;

/**
 * Makes all instances on one Redis use one secret: the first instance stores its own, and all others adopt it. While Redis is
 * away each keeps the secret it has, and looks again when Redis is back.
 * @returns after the first look, or when Redis did not answer in time
 */
export async function shareSecret(options: ShareSecretOptions): Promise<SharedSecret> {
  const { name, adopt, everyMs = defaultEveryMs } = options;
  let current = options.own;

  const exchange = async (): Promise<void> => {
    await redis.set(name, current.reveal(), 'NX');
    const there = await redis.get(name);
    // Ignore a value that no gateway would have stored.
    if (there === null || !/^[\x21-\x7e]{32,}$/.test(there) || there === current.reveal()) return;
    current = new Secret(there);
    adopt(current);
  };
  // Do not report failures here: the rate store reports that Redis is away, once.
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
