import type { Redis } from 'ioredis';

/** Names that a script reads or writes as globals: everything except local variables and parameters. */
export interface LuaGlobals {
  readonly read: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
}

/**
 * Compiles a script in Redis without running it, and reads the globals from its bytecode. Redis itself reports a global only
 * when its line runs.
 */
export async function findLuaGlobals(redis: Redis, lua: string): Promise<LuaGlobals> {
  const dump = 'return string.dump(assert(loadstring(ARGV[1])))';
  const bytes = (await redis.callBuffer('EVAL', dump, 0, lua)) as Buffer;
  const globals = { read: new Set<string>(), written: new Set<string>() };
  readFunction(bytes, headerBytes, globals);
  return globals;
}

/** The bytecode layout of Lua 5.1 on a 64-bit little-endian machine. */
const headerBytes = 12;
const opcodes = { readGlobal: 5, writeGlobal: 7 };
const constantBytes: Readonly<Record<number, number>> = { 0: 0, 1: 1, 3: 8 };
const textTag = 4;

/** @returns the position after the function */
function readFunction(bytes: Buffer, start: number, globals: { read: Set<string>; written: Set<string> }): number {
  let at = start;
  const int = () => {
    at += 4;
    return bytes.readInt32LE(at - 4);
  };
  const text = () => {
    const length = Number(bytes.readBigUInt64LE(at));
    at += 8 + length;
    return bytes.toString('latin1', at - length, at - 1);
  };
  const list = <Item>(item: () => Item) => Array.from({ length: int() }, item);
  text();
  // Two line numbers, and four bytes about parameters and registers.
  at += 12;
  const code = list(() => int() >>> 0);
  const constants = list(() => {
    const tag = bytes[at++] ?? 0;
    if (tag === textTag) return text();
    at += constantBytes[tag] ?? 0;
    return null;
  });
  for (const instruction of code) {
    const name = constants[instruction >>> 14] ?? '';
    if ((instruction & 63) === opcodes.readGlobal) globals.read.add(name);
    if ((instruction & 63) === opcodes.writeGlobal) globals.written.add(name);
  }
  list(() => {
    at = readFunction(bytes, at, globals);
  });
  // Debug information: lines, local variables, upvalue names.
  list(int);
  list(() => [text(), int(), int()]);
  list(text);
  return at;
}
