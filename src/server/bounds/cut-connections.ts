/** What decides which connections are cut. */
export interface Cuttable {
  /** Nothing is executed on it. */
  readonly isUnserved: boolean;
  /** Something was answered on it. */
  readonly hasServed: boolean;
  /** Bytes that were written and that its client has not read. */
  readonly unread: number;
  cut(): void;
}

/**
 * Connections on which nothing is executed: silent ones, idle ones, and those with an unfinished request. Nobody is counted
 * before that, and an unfinished head may take a hundred kilobytes.
 */
const maxUnserved = 4_096;

/** Cuts excess connections on which nothing is executed, never-used ones first. @param connections the oldest first */
export function cutUnserved(connections: readonly Cuttable[]): void {
  const unserved = connections.filter(({ isUnserved }) => isUnserved);
  const neverUsed = unserved.filter(({ hasServed }) => !hasServed);
  const excess = Math.max(unserved.length - maxUnserved, 0);
  const inOrder = [...neverUsed, ...unserved.filter(({ hasServed }) => hasServed)];
  for (const connection of inOrder.slice(0, excess)) connection.cut();
}

/**
 * If clients leave more than `maxBytes` unread together, cuts the oldest connections that hold at least the average. So a slow
 * reader of small answers is safe from clients that ask for much and read nothing.
 */
export function cutUnread(connections: Iterable<Cuttable>, maxBytes: number): void {
  const found: { readonly connection: Cuttable; readonly unread: number }[] = [];
  let bytes = 0;
  for (const connection of connections) {
    const { unread } = connection;
    if (unread > 0) found.push({ connection, unread });
    bytes += unread;
  }
  const average = bytes / found.length;
  for (const { connection, unread } of found) {
    if (bytes <= maxBytes) return;
    if (unread < average) continue;
    connection.cut();
    bytes -= unread;
  }
}
