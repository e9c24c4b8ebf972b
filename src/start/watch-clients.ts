import { diffClients } from '../callers/credentials/client-registry.ts';
import { type Client, parseClients } from '../config/client.ts';
import type { Config } from '../config/config.ts';
import { toMistakeLine } from '../config/config-error.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { type FileReader, type FollowedFile, fileAt, followFile } from './watched-file.ts';

export interface WatchClientsOptions {
  readonly file: FileReader;
  /** The clients in force. */
  readonly clients: readonly Client[];
  /**
   * Replaces the clients in force.
   * @param text content of the clients file
   */
  readonly adopt: (clients: readonly Client[], text: string) => void;
  readonly telemetry: Pick<Telemetry, 'clientsRead' | 'clientsRefused'>;
}

/** Reloads the clients when their file changes. A file with mistakes, or a missing one, changes nothing. */
export function watchClients({ file, clients, adopt, telemetry }: WatchClientsOptions): FollowedFile {
  let current = clients;
  return followFile(file, (news) => {
    if (news.kind === 'away') {
      const got = `one that cannot be read (${news.reason})`;
      const mistake = { key: 'CLIENTS_FILE', expected: 'a path to a readable file', got };
      return { rejected: () => telemetry.clientsRefused([toMistakeLine(mistake)]) };
    }
    const result = parseClients(news.text);
    if ('mistakes' in result) return { rejected: () => telemetry.clientsRefused(result.mistakes.map(toMistakeLine)) };
    const diff = diffClients(current, result.clients);
    const isNew = diff.added.length + diff.removed.length + diff.changed.length > 0;
    if (isNew) {
      current = result.clients;
      adopt(current, news.text);
    }
    return { isNew, accepted: () => telemetry.clientsRead({ ...diff, clients: current.length }) };
  });
}

/** Watches the configured clients file; `null` without one. */
export function watchClientsOf(
  { clients, clientsFile }: Pick<Config, 'clients' | 'clientsFile'>,
  options: Pick<WatchClientsOptions, 'adopt' | 'telemetry'>,
): FollowedFile | null {
  return clients && clientsFile !== null ? watchClients({ ...options, file: fileAt(clientsFile), clients }) : null;
}
