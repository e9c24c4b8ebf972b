import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { type Config, losesCursors } from '../config/config.ts';
import type { Secret } from '../config/secret.ts';
import { expectedOf, parseText, signingKeys } from '../config/value-types.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { CliWorld } from './cli-world.ts';

type StateWorld = Pick<CliWorld, 'env' | 'randomBytes'>;

/** Adds what survives restarts in the folder of this program's state, where nothing else keeps it. */
export function withKeptState(config: Config, world: StateWorld, logger: Logger): Config {
  return withJournal(withKeptCursorKey(config, world, logger), world, logger);
}

function withKeptCursorKey(config: Config, world: StateWorld, logger: Logger): Config {
  const folder = losesCursors(config) ? toFolder(world.env) : null;
  if (folder === null) return config;
  const path = join(folder, 'cursor-key');
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

/** A journal of sponsorship, and the key of the leases in it. */
function withJournal(config: Config, world: StateWorld, logger: Logger): Config {
  const { upstreams, settings, redis } = config;
  const hasSponsor = upstreams.kind === 'remote' && upstreams.addresses.SPONSOR_URL !== undefined;
  if (!hasSponsor || redis || !settings.SPONSORSHIP_JOURNAL) return config;
  const state = toFolder(world.env);
  if (state === null) {
    logger.warn('sponsorship does not survive a restart: no folder for state is set, such as STATE_DIRECTORY');
    return config;
  }
  const journal = join(state, 'sponsorship');
  logger.info({ path: journal }, 'sponsorship is kept in this folder');
  const sponsorship = { ...config.sponsorship, journal };
  if (sponsorship.auth === 'forward' || settings.LEASE_KEYS !== null) return { ...config, sponsorship };
  const path = join(state, 'lease-key');
  try {
    if (!existsSync(path)) create(path, world.randomBytes);
    return { ...config, sponsorship, settings: { ...settings, LEASE_KEYS: read(path) } };
  } catch (error) {
    // The store will be unavailable for the same reason.
    logger.warn({ path, reason: (error as Error).message }, 'the lease key file cannot be used');
    return { ...config, sponsorship };
  }
}

/** @returns `null` if the environment names no folder for state */
function toFolder({ STATE_DIRECTORY, XDG_STATE_HOME, HOME }: CliWorld['env']): string | null {
  // systemd separates several folders by colons.
  const own = STATE_DIRECTORY?.split(':')[0];
  const folder = own || join(XDG_STATE_HOME || join(HOME || '', '.local/state'), 'ledger-gateway');
  return isAbsolute(folder) ? folder : null;
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
