import { createRoom, type Share } from '../upstream/quota.ts';

/**
 * Connections without an executing request: silent ones, idle ones, and those with an unfinished request. The rate limit does
 * not apply yet, and an unfinished request head may take 100 KB.
 */
const maxUnserved = 4_096;

interface Idle {
  readonly isUnserved: boolean;
  readonly hasServed: boolean;
  /** `null` for the connection of a trusted proxy. */
  readonly share: Pick<Share, 'caller'> | null;
  cut(): void;
}

/**
 * Closes excess connections without an executing request: those of the addresses that have most, never-used ones first.
 * @param connections the oldest first
 */
export function cutUnserved(connections: readonly Idle[]): void {
  const unserved = connections.filter(({ isUnserved }) => isUnserved);
  if (unserved.length <= maxUnserved) return;
  const room = createRoom(maxUnserved);
  const enter = (connection: Idle) => {
    // A proxy's connections serve many addresses, so none of them is more than its share.
    const { share } = connection;
    if (share) room.enter(share.caller, () => connection.cut()).hold(1);
  };
  for (const connection of unserved) if (!connection.hasServed) enter(connection);
  for (const connection of unserved) if (connection.hasServed) enter(connection);
}

export interface UnreadPart {
  readonly bytes: number;
  readonly address: string;
  /** Identifies memory that several responses share; `null` = only this one has it. */
  readonly memory: object | null;
}

/** A connection whose client reads responses. */
export interface CuttableConnection {
  /** Bytes written and not yet read, including responses that wait for earlier ones. */
  readonly unread: number;
  unreadParts(): readonly UnreadPart[];
  cut(): void;
}

/**
 * If clients together leave more than `maxBytes` unread, closes connections of the addresses that leave most. Memory that
 * several responses share counts once, in equal parts for its readers.
 * @param connections the oldest first
 */
export function cutUnread(connections: Iterable<CuttableConnection>, maxBytes: number): void {
  const behind: CuttableConnection[] = [];
  let total = 0;
  for (const connection of connections) {
    const { unread } = connection;
    total += unread;
    if (unread > 0) behind.push(connection);
  }
  if (total <= maxBytes) return;
  const room = createRoom(maxBytes);
  const parts = behind.flatMap((connection) => connection.unreadParts().map((part) => ({ ...part, connection })));
  const readers = new Map<object, number>();
  for (const { memory } of parts) if (memory) readers.set(memory, (readers.get(memory) ?? 0) + 1);
  for (const { bytes, address, memory, connection } of parts)
    room.enter(address, () => connection.cut()).hold(bytes / ((memory && readers.get(memory)) || 1));
}
