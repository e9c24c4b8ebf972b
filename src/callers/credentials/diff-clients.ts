import type { Client } from '../../config/client.ts';

/** What another list of clients changes, by the clients' ids. */
export interface ClientsDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Those with another key, or other rights. */
  readonly changed: readonly string[];
}

export function diffClients(before: readonly Client[], after: readonly Client[]): ClientsDiff {
  const old = new Map(before.map((client) => [client.id, toText(client)]));
  const ids = new Set(after.map(({ id }) => id));
  return {
    added: after.filter(({ id }) => !old.has(id)).map(({ id }) => id),
    removed: before.filter(({ id }) => !ids.has(id)).map(({ id }) => id),
    changed: after.filter((client) => old.has(client.id) && old.get(client.id) !== toText(client)).map(({ id }) => id),
  };
}

/** Equal for clients of whom the same was said, in whatever order. */
function toText({ hash, scopes, perMinute, origins, gasPerDay, moveCalls }: Client): string {
  const sorted = (list: readonly string[] | null) => list && [...list].sort();
  return JSON.stringify([hash, sorted(scopes), perMinute, sorted(origins), gasPerDay, sorted(moveCalls)]);
}
