import { readFileSync } from 'node:fs';
import { diffById, diffClients, type ListDiff } from '../callers/credentials/client-registry.ts';
import { type ClientsFile, parseClients } from '../config/client.ts';
import type { Config } from '../config/config.ts';
import { toMistakeLine } from '../config/config-error.ts';
import { parseManifest, type TrustedDocument } from '../config/document-manifest.ts';
import type { Parsed } from '../config/read-settings.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { type FileReader, type FollowedFile, fileAt, followFile, joinFiles } from './watched-file.ts';

/** Lists that were reloaded because their file changed. */
export interface ReloadedLists {
  readonly clients?: ClientsFile;
  readonly documents?: readonly TrustedDocument[];
}

interface WatchedConfig extends Pick<Config, 'clients' | 'trustedDocuments'> {
  readonly settings: Pick<Config['settings'], 'CLIENTS_FILE' | 'TRUSTED_DOCUMENTS_FILE'>;
}

export interface WatchListsOptions {
  /** Replaces the lists in force. @param texts content of their files, by path */
  readonly adopt: (lists: ReloadedLists, texts: Readonly<Record<string, string>>) => void;
  readonly telemetry: Pick<Telemetry, 'clientsRead' | 'clientsRefused' | 'documentsRead' | 'documentsRefused'>;
  readonly fileAt?: (path: string) => FileReader;
  /** Reads a file of addresses. */
  readonly readFile?: (path: string) => string;
}

/** Reloads clients and trusted documents when their files change. A file with mistakes, or a missing one, changes nothing. */
export function watchLists(
  { clients, trustedDocuments, settings }: WatchedConfig,
  { adopt, telemetry, fileAt: open = fileAt, readFile = (path) => readFileSync(path, 'utf8') }: WatchListsOptions,
): FollowedFile {
  const { CLIENTS_FILE: clientsFile, TRUSTED_DOCUMENTS_FILE: trustedDocumentsFile } = settings;
  const files: FollowedFile[] = [];
  if (clients && clientsFile !== null) {
    let named = clients.files;
    const texts = new Map<string, string>();
    const followed = followContent(
      withNamed(open(clientsFile), () => named.map(open)),
      clients,
      {
        setting: 'CLIENTS_FILE',
        parse(text) {
          texts.clear();
          return parseClients(text, (path) => {
            const addresses = readFile(path);
            texts.set(path, addresses);
            return addresses;
          });
        },
        diff: diffClients,
        adopt(file, text) {
          named = file.files;
          adopt({ clients: file }, { ...Object.fromEntries(texts), [clientsFile]: text });
        },
        accepted: (diff, { clients: list }) => telemetry.clientsRead({ ...diff, clients: list.length }),
        refused: telemetry.clientsRefused,
      },
    );
    files.push(followed);
  }
  if (trustedDocuments && trustedDocumentsFile !== null) {
    const followed = followContent(open(trustedDocumentsFile), trustedDocuments, {
      setting: 'TRUSTED_DOCUMENTS_FILE',
      parse: (text) => parseManifest(text),
      diff: (before, after) => diffById(before, after, ({ text }) => text),
      adopt: (list, text) => adopt({ documents: list }, { [trustedDocumentsFile]: text }),
      accepted: (diff, list) => telemetry.documentsRead({ ...countDiff(diff), documents: list.length }),
      refused: telemetry.documentsRefused,
    });
    files.push(followed);
  }
  return joinFiles(files);
}

/** A file that counts as changed when one of the files does that it names. */
function withNamed(file: FileReader, named: () => readonly FileReader[]): FileReader {
  return {
    async see() {
      const [own, ...others] = await Promise.all([file, ...named()].map((each) => each.see()));
      if (!own || own.mark === null) return own ?? { mark: null, reason: null };
      return { mark: [own, ...others].map(({ mark, reason }) => mark ?? reason).join('\n'), reason: null };
    },
    read: file.read,
  };
}

interface ContentOfFile<Content extends object> {
  readonly setting: string;
  readonly parse: (text: string) => Parsed<Content>;
  readonly diff: (before: Content, after: Content) => ListDiff;
  readonly adopt: (content: Content, text: string) => void;
  readonly accepted: (diff: ListDiff, content: Content) => void;
  /** @param mistakes one line each */
  readonly refused: (mistakes: readonly string[]) => void;
}

function followContent<Content extends object>(
  file: FileReader,
  first: Content,
  list: ContentOfFile<Content>,
): FollowedFile {
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
    return { isNew, accepted: () => list.accepted(diff, found) };
  });
}

/** A manifest may have thousands of documents, too many for a log line. */
function countDiff({ added, removed, changed }: ListDiff) {
  return { added: added.length, removed: removed.length, changed: changed.length };
}
