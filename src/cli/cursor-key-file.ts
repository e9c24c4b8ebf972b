import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { type Config, losesCursors } from '../config/config.ts';
import type { Secret } from '../config/secret.ts';
import { expectedOf, parseText, signingKeys } from '../config/value-types.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { CliWorld } from './cli-world.ts';

/** Adds a cursor key that survives restarts, kept in a file, to a configuration whose cursors would not. */
export function withKeptCursorKey(
  config: Config,
  world: Pick<CliWorld, 'env' | 'randomBytes'>,
  logger: Logger,
): Config {
  const path = losesCursors(config) ? toPath(world.env) : null;
  if (path === null) return config;
  try {
    if (!existsSync(path)) create(path, world.randomBytes);
    const cursorKeys = read(path);
    logger.info({ path }, 'cursors are signed with the key in this file');
    return { ...config, cursorKeys };
  } catch (error) {
    logger.warn({ path, reason: (error as Error).message }, 'the cursor key file cannot be used');
    return config;
  }
}

/** @returns `null` if the environment names no folder for state */
function toPath({ STATE_DIRECTORY, XDG_STATE_HOME, HOME }: CliWorld['env']): string | null {
  // systemd separates several folders by colons.
  const own = STATE_DIRECTORY?.split(':')[0];
  const folder = own || join(XDG_STATE_HOME || join(HOME || '', '.local/state'), 'ledger-gateway');
  return isAbsolute(folder) ? join(folder, 'cursor-key') : null;
}

/** Does nothing if another process creates the file meanwhile. */
function create(path: string, randomBytes: CliWorld['randomBytes']): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${Buffer.from(randomBytes(8)).toString('hex')}`;
  const key = Buffer.from(randomBytes(32)).toString('base64url');
  try {
    writeFileSync(draft, `${key}\n`, { flag: 'wx', mode: 0o600, flush: true });
    // Linked once complete, so that no process ever reads half a key.
    linkSync(draft, path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function read(path: string): readonly Secret[] {
  if (statSync(path).mode & 0o077) throw new Error('other users may read or write it');
  const keys = parseText(signingKeys, readFileSync(path, 'utf8').trim());
  if (!keys) throw new Error(`it does not hold ${expectedOf(signingKeys)}`);
  return keys;
}
