import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { SponsorshipStore } from '../../src/sponsor/store/decide.ts';
import { JournalEnd, listJournal } from '../../src/sponsor/store/journal-file.ts';
import { createJournalStore } from '../../src/sponsor/store/journal-store.ts';
import { createMemoryStore } from '../../src/sponsor/store/memory-store.ts';
import type { Random } from './course-random.ts';
import { type RedisServer, startRedis } from './redis-server.ts';
import { openRedisStore } from './redis-sponsorship-store.ts';
import { allowanceOf } from './sponsorship-flow.ts';
import { openTcpGate, type TcpGate } from './tcp-gate.ts';

/** A kind of store, with everything that may happen to it. */
export interface CourseStores extends AsyncDisposable {
  /** Processes that share one store. */
  readonly size: number;
  /** Opens the store of a process, for the first time or after it was killed. */
  open(process: number, now: () => number): Promise<SponsorshipStore>;
  /** What a process has not stored when it is killed is lost. */
  kill(process: number): void;
  /** Something happens to the store. @returns what, and whether it may have forgotten anything */
  disturb(random: Random): Promise<{ readonly what: string; readonly forgets: boolean }>;
  heal(): Promise<void>;
  /** Begins another course, with nothing stored. */
  clear(): Promise<void>;
  /** Does a killed process leave its store behind? */
  readonly remembers: boolean;
}

export function memoryStores(): CourseStores {
  return {
    size: 1,
    remembers: false,
    open: async () => createMemoryStore(),
    kill() {},
    disturb: async () => ({ what: 'nothing', forgets: false }),
    heal: async () => {},
    clear: async () => {},
    async [Symbol.asyncDispose]() {},
  };
}

// A journal on a disk that fails ----------------------------------------------------------------

/** Bytes of a file, and how many of them survive a crash for certain. */
interface DiskFile {
  bytes: Buffer;
  synced: number;
}

class Disk {
  readonly files = new Map<string, DiskFile>();
  /** Bytes that still fit; infinite: the disk is not full. */
  free = Number.POSITIVE_INFINITY;
  isReadOnly = false;

  handleOf(path: string): FileHandle {
    const file = this.files.get(path) ?? { bytes: Buffer.alloc(0), synced: 0 };
    this.files.set(path, file);
    const refuse = () => {
      if (this.isReadOnly) throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
    };
    const handle = {
      write: async (bytes: Buffer, from: number, length: number, at: number) => {
        refuse();
        const written = Math.min(length, this.free, 7 + length / 2);
        if (written < 1) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
        const whole = Math.floor(written);
        this.free -= whole;
        file.bytes = Buffer.concat([file.bytes.subarray(0, at), bytes.subarray(from, from + whole)]);
        return { bytesWritten: whole };
      },
      datasync: async () => {
        refuse();
        file.synced = file.bytes.length;
      },
      truncate: async (length: number) => {
        refuse();
        file.bytes = file.bytes.subarray(0, length);
        file.synced = Math.min(file.synced, length);
      },
      close: async () => {},
    };
    return handle as unknown as FileHandle;
  }
}

export function journalStores(random: Random): CourseStores {
  const root = mkdtempSync(join(tmpdir(), 'courses-'));
  let disk = new Disk();
  let folders = 0;
  let folder = '';
  const nextFolder = () => {
    folders += 1;
    folder = join(root, `${folders}`);
    mkdirSync(folder);
  };
  nextFolder();
  return {
    size: 1,
    remembers: true,
    async open(_, now) {
      const own = disk;
      const events = { failed: () => {}, ready: () => {} };
      const openEnd: NonNullable<Parameters<typeof createJournalStore>[0]['openEnd']> = async (at, file, length) => {
        const handle = own.handleOf(file.path);
        await handle.truncate(length);
        writeFileSync(join(at, file.path.slice(at.length + 1)), '');
        return new JournalEnd(file, handle, length);
      };
      const store = createJournalStore({ folder, now, openEnd, retryMs: 0 }, events);
      await allowanceOf(store, { key: '', perDay: 0 }, now()).catch(() => {});
      return store;
    },
    /** At any byte: what was not synchronised is there in part, or is not. */
    kill() {
      const before = disk;
      const beforeFolder = folder;
      nextFolder();
      disk = new Disk();
      for (const { path } of listJournal(beforeFolder)) {
        const file = before.files.get(path);
        if (!file) continue;
        const length = file.synced + random.below(file.bytes.length - file.synced + 1);
        const name = join(folder, path.slice(beforeFolder.length + 1));
        const bytes = Buffer.from(file.bytes.subarray(0, length));
        writeFileSync(name, bytes);
        disk.files.set(name, { bytes, synced: length });
      }
    },
    async disturb() {
      if (random.chance(0.3)) disk.isReadOnly = true;
      else disk.free = random.below(2_000);
      return { what: 'the disk fails', forgets: false };
    },
    async heal() {
      disk.free = Number.POSITIVE_INFINITY;
      disk.isReadOnly = false;
    },
    async clear() {
      rmSync(folder, { recursive: true, force: true });
      disk = new Disk();
      nextFolder();
    },
    async [Symbol.asyncDispose]() {
      rmSync(root, { recursive: true, force: true });
    },
  };
}

// Redis, which fails over ------------------------------------------------------------------------

/** Without pauses and without files. */
const quick = ['--repl-diskless-sync', 'yes', '--repl-diskless-sync-delay', '0', '--repl-diskless-load', 'swapdb'];

/** @param timeoutMs after which the store is away */
export async function redisStores(timeoutMs = 150): Promise<CourseStores> {
  const servers = await Promise.all([startRedis(quick), startRedis(quick)]);
  const portOf = ({ url }: RedisServer) => Number(new URL(url).port);
  const admins = servers.map(({ url }) => {
    const admin = new Redis(url, { retryStrategy: () => 5 });
    admin.on('error', () => {});
    return admin;
  });
  const [first, second] = admins as [Redis, Redis];
  /** Which server is the primary. */
  let primary = 0;
  const adminOf = (index: number) => (index === 0 ? first : second);
  const gates: TcpGate[] = await Promise.all(
    [0, 1].map(() => openTcpGate(() => portOf(servers[primary] as RedisServer))),
  );
  /** Between the replica and its primary. */
  const link = await openTcpGate(() => portOf(servers[primary] as RedisServer));
  const opened = new Set<SponsorshipStore>();
  const follow = async () => {
    const replica = adminOf(1 - primary);
    await replica.replicaof('127.0.0.1', link.port);
    const isSynced = async () => /master_link_status:up/.test(await replica.info('replication'));
    while (!(await isSynced())) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await second.replicaof('NO', 'ONE');
  await follow();
  const heal = async () => {
    for (const gate of [...gates, link]) gate.heal();
    await adminOf(primary).call('ACL', 'SETUSER', 'default', 'on', '+@all');
  };
  async function failOver(isLagging: boolean): Promise<void> {
    if (!isLagging) await adminOf(primary).wait(1, 200);
    link.cut();
    // The old primary, which may be alive, takes writes until its clients have left.
    primary = 1 - primary;
    await adminOf(primary).replicaof('NO', 'ONE');
    for (const gate of gates) {
      gate.cut();
      gate.heal();
    }
    link.heal();
    await follow();
  }
  const disturbances: Record<
    string,
    { readonly forgets: boolean; readonly act: (random: Random) => Promise<unknown> }
  > = {
    restart: {
      forgets: true,
      async act() {
        await servers[primary]?.kill();
        await servers[primary]?.restart();
        await adminOf(primary)
          .ping()
          .catch(() => {});
      },
    },
    flush: { forgets: true, act: () => adminOf(primary).flushall() },
    evict: {
      forgets: true,
      async act(random) {
        const keys = await adminOf(primary).keys('ledger-gateway:*');
        const some = keys.filter(() => random.chance(0.4));
        if (some.length > 0) await adminOf(primary).del(...some);
      },
    },
    'fail over': { forgets: true, act: () => failOver(false) },
    'fail over with a lagging replica': {
      forgets: true,
      async act(random) {
        link.freeze();
        await new Promise((resolve) => setTimeout(resolve, random.below(10)));
        await failOver(true);
      },
    },
    'fail over and back': {
      forgets: true,
      async act() {
        link.freeze();
        await failOver(true);
        await failOver(false);
      },
    },
    'deny writes': {
      forgets: false,
      act: () => adminOf(primary).call('ACL', 'SETUSER', 'default', '-eval', '-evalsha'),
    },
    'deny reads': { forgets: false, act: () => adminOf(primary).call('ACL', 'SETUSER', 'default', '-get', '-zrange') },
    cut: { forgets: false, act: async (random) => gates[random.below(2)]?.cut() },
    'deliver late': { forgets: false, act: async (random) => gates[random.below(2)]?.freeze() },
  };
  const common = ['deny writes', 'deny reads', 'cut', 'deliver late', 'flush', 'evict'];
  return {
    size: 2,
    remembers: true,
    async open(process) {
      const gate = gates[process] as TcpGate;
      const store = await openRedisStore(`redis://127.0.0.1:${gate.port}`, { timeoutMs });
      opened.add(store);
      return store;
    },
    kill() {},
    async disturb(random) {
      const what = random.chance(0.85) ? random.pick(common) : random.pick(Object.keys(disturbances));
      const { forgets, act } = disturbances[what] as (typeof disturbances)[string];
      await act(random);
      return { what, forgets };
    },
    heal,
    async clear() {
      await heal();
      await adminOf(primary).flushall();
      // Otherwise a replica that is promoted soon has the records of the last course, whose callers have the same names.
      while ((await adminOf(primary).wait(1, 1_000)) === 0);
    },
    async [Symbol.asyncDispose]() {
      await heal();
      for (const store of opened) await store.close();
      for (const admin of admins) admin.disconnect();
      for (const gate of [...gates, link]) await gate[Symbol.asyncDispose]();
      for (const server of servers) await server[Symbol.asyncDispose]();
    },
  };
}
