import { diffClients } from '../callers/credentials/diff-clients.ts';
import type { Client } from '../config/client.ts';
import type { Config } from '../config/config.ts';
import { type ConfigMistake, toMistakeLine } from '../config/config-error.ts';
import { parseClients } from '../config/parse-clients.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { createWatchedFile, type FileNews, fileAt, type WatchedFileOptions } from './watched-file.ts';

export interface WatchClientsOptions {
  readonly file: Pick<WatchedFileOptions, 'see' | 'read'>;
  /** Those in force. */
  readonly clients: readonly Client[];
  /** Puts others in force. @param text of the file that names them */
  readonly adopt: (clients: readonly Client[], text: string) => void;
  readonly telemetry: Pick<Telemetry, 'clientsRead' | 'clientsRefused'>;
}

export interface WatchedClients {
  /** Reads the file now, and tells what came of it even if nothing changed. */
  reload(): Promise<void>;
  stop(): void;
}

/** Milliseconds between two looks at the file. */
const lookEveryMs = 500;

/**
 * Keeps the clients as their file has them. A file with mistakes, or one that is gone, changes nothing: the clients stay as
 * they were last, for as long as it takes.
 */
export function watchClients({ file, clients, adopt, telemetry }: WatchClientsOptions): WatchedClients {
  let current = clients;
  /** Was the file's last state refused? Then the next good one is told, even if it is what is in force. */
  let isRefused = false;
  let isAsked = false;

  const refuse = (mistakes: readonly ConfigMistake[]) => {
    isRefused = true;
    telemetry.clientsRefused(mistakes.map(toMistakeLine));
  };
  const hear = (news: FileNews): void => {
    if (news.kind === 'away') {
      const got = `one that cannot be read (${news.reason})`;
      refuse([{ key: 'CLIENTS_FILE', expected: 'a path to a readable file', got }]);
      return;
    }
    const result = parseClients(news.text);
    if ('mistakes' in result) {
      refuse(result.mistakes);
      return;
    }
    const diff = diffClients(current, result.clients);
    const isChanged = diff.added.length + diff.removed.length + diff.changed.length > 0;
    if (isChanged) {
      current = result.clients;
      adopt(current, news.text);
    }
    if (isChanged || isRefused || isAsked) telemetry.clientsRead({ ...diff, clients: current.length });
    isRefused = false;
  };

  const watched = createWatchedFile({ ...file, tell: hear });
  const timer = setInterval(() => void watched.look(), lookEveryMs);
  timer.unref();
  return {
    async reload() {
      isAsked = true;
      try {
        await watched.readNow();
      } finally {
        isAsked = false;
      }
    },
    stop: () => clearInterval(timer),
  };
}

/** The same for the file that is configured; `null` without one. */
export function watchClientsOf(
  { clients, clientsFile }: Pick<Config, 'clients' | 'clientsFile'>,
  options: Pick<WatchClientsOptions, 'adopt' | 'telemetry'>,
): WatchedClients | null {
  return clients && clientsFile !== null ? watchClients({ ...options, file: fileAt(clientsFile), clients }) : null;
}
