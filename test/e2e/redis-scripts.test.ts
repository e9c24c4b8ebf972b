import { readdirSync, readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { liveScripts } from '../../src/live/fleet/redis-leased-log.ts';
import { commitScript } from '../../src/sponsor/redis-store/redis-store.ts';
import { findLuaGlobals } from '../support/lua-globals.ts';
import { redisMissing, startRedis } from '../support/redis-server.ts';

const scripts = [{ commitRecords: commitScript }, liveScripts()].flatMap((each) => Object.entries(each));

/** Globals that Redis gives to scripts. */
const provided = new Set(['ARGV', 'KEYS', 'redis', 'math', 'string', 'ipairs', 'table', 'tonumber', 'type', 'unpack']);

test.skipIf(redisMissing)('every script compiles in Redis, and uses no global of its own', async () => {
  await using server = await startRedis();
  const redis = new Redis(server.url);
  const wrong = await findLuaGlobals(redis, 'local a = 1; local function f() b = a; return missing end');
  expect(wrong).toEqual({ read: new Set(['missing']), written: new Set(['b']) });
  for (const [name, lua] of scripts) {
    expect(await redis.script('LOAD', lua), name).toMatch(/^[0-9a-f]{40}$/);
    const { read, written } = await findLuaGlobals(redis, lua);
    expect([...written], name).toEqual([]);
    expect(
      [...read].filter((global) => !provided.has(global)),
      name,
    ).toEqual([]);
  }
  redis.disconnect();
});

test('every Lua file belongs to a script, and is in the built package', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.lua'));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const lua = readFileSync(`src/${file}`, 'utf8');
    expect(
      scripts.filter(([, script]) => script.includes(lua)),
      file,
    ).not.toEqual([]);
    expect(readFileSync(`dist/${file}`, 'utf8')).toBe(lua);
  }
});
