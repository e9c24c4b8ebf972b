import { diffById, diffClients, type ListDiff } from '../callers/credentials/client-registry.ts';
import { type Client, parseClients } from '../config/client.ts';
import type { Config } from '../config/config.ts';
import { toMistakeLine } from '../config/config-error.ts';
import type { ListResult } from '../config/read-settings.ts';
import { parseManifest, type TrustedDocument } from '../config/trusted-documents.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { type FileReader, type FollowedFile, fileAt, followFile, joinFiles } from './watched-file.ts';

/** Lists that were reloaded because their file changed. */
export interface ReloadedLists {
  readonly clients?: readonly Client[];
  readonly documents?: readonly TrustedDocument[];
}

interface WatchedConfig extends Pick<Config, 'clients' | 'trustedDocuments'> {
  readonly settings: Pick<Config['settings'], 'CLIENTS_FILE' | 'TRUSTED_DOCUMENTS_FILE'>;
}

export interface WatchListsOptions {
  /** Replaces the lists in force. @param text content of the file */
  readonly adopt: (lists: ReloadedLists, path: string, text: string) => void;
  readonly telemetry: Pick<Telemetry, 'clientsRead' | 'clientsRefused' | 'documentsRead' | 'documentsRefused'>;
  readonly fileAt?: (path: string) => FileReader;
}

/** Reloads clients and trusted documents when their files change. A file with mistakes, or a missing one, changes nothing. */
export function watchLists(
  { clients, trustedDocuments, settings }: WatchedConfig,
  { adopt, telemetry, fileAt: open = fileAt }: WatchListsOptions,
): FollowedFile {
  const { CLIENTS_FILE: clientsFile, TRUSTED_DOCUMENTS_FILE: trustedDocumentsFile } = settings;
  const files: FollowedFile[] = [];
  if (clients && clientsFile !== null) {
    const followed = followList(open(clientsFile), clients, {
      setting: 'CLIENTS_FILE',
      parse: parseClients,
      diff: diffClients,
      adopt: (list, text) => adopt({ clients: list }, clientsFile, text),
      accepted: (diff, count) => telemetry.clientsRead({ ...diff, clients: count }),
      refused: telemetry.clientsRefused,
    });
    files.push(followed);
  }
  if (trustedDocuments && trustedDocumentsFile !== null) {
    const followed = followList(open(trustedDocumentsFile), trustedDocuments, {
      setting: 'TRUSTED_DOCUMENTS_FILE',
      parse: (text) => parseManifest(text),
      diff: (before, after) => diffById(before, after, ({ text }) => text),
      adopt: (list, text) => adopt({ documents: list }, trustedDocumentsFile, text),
      accepted: (diff, count) => telemetry.documentsRead({ ...countDiff(diff), documents: count }),
      refused: telemetry.documentsRefused,
    });
    files.push(followed);
  }
  return joinFiles(files);
}

interface ListFile<Item> {
  readonly setting: string;
  readonly parse: (text: string) => ListResult<Item>;
  readonly diff: (before: readonly Item[], after: readonly Item[]) => ListDiff;
  readonly adopt: (list: readonly Item[], text: string) => void;
  readonly accepted: (diff: ListDiff, count: number) => void;
  /** @param mistakes one line each */
  readonly refused: (mistakes: readonly string[]) => void;
}

function followList<Item>(file: FileReader, first: readonly Item[], list: ListFile<Item>): FollowedFile {
  let current = first;
  return followFile(file, (news) => {
    if (news.kind === 'away') {
      const got = `one that cannot be read (${news.reason})`;
      const mistake = { key: list.setting, expected: 'a path to a readable file', got };
      return { rejected: () => list.refused([toMistakeLine(mistake)]) };
    }
    const found = list.parse(news.text);
    if ('mistakes' in found) return { rejected: () => list.refused(found.mistakes.map(toMistakeLine)) };
    const diff = list.diff(current, found);
    const isNew = diff.added.length + diff.removed.length + diff.changed.length > 0;
    if (isNew) {
      current = found;
      list.adopt(found, news.text);
    }
    return { isNew, accepted: () => list.accepted(diff, found.length) };
  });
}

/** A manifest may have thousands of documents, too many for a log line. */
function countDiff({ added, removed, changed }: ListDiff) {
  return { added: added.length, removed: removed.length, changed: changed.length };
}
