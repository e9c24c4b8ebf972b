import { expectedOf, parseText } from '../config/value-types.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { SecretInFile } from '../upstream/upstream.ts';
import { type FileReader, type FollowedFile, fileAt, followFile, joinFiles } from './watched-file.ts';

export interface WatchSecretsOptions {
  /** Paths of the files, by setting; `null` = the setting is not set. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly telemetry: Pick<Telemetry, 'secretRead' | 'secretRefused'>;
  readonly fileAt?: (path: string) => FileReader;
}

/** Reloads secrets when their files change. A file with mistakes, or a missing one, changes nothing. */
export function watchSecrets({ settings, telemetry, fileAt: open = fileAt }: WatchSecretsOptions) {
  const files: FollowedFile[] = [];
  return {
    watch<Value>({ setting, type, adopt }: SecretInFile<Value>): void {
      const path = settings[setting];
      if (typeof path !== 'string') return;
      /** `null` until the first check, which finds the value read at the start. */
      let current: string | null = null;
      const file = followFile(open(path), (news) => {
        const text = news.kind === 'text' ? news.text.trim() : '';
        const secret = text === '' ? undefined : parseText(type, text);
        if (secret === undefined) {
          const got = news.kind === 'away' ? `one that cannot be read (${news.reason})` : 'something else';
          return { rejected: () => telemetry.secretRefused(setting, `a file that holds ${expectedOf(type)}`, got) };
        }
        const isNew = current !== null && text !== current;
        // The first check adopts the secret too: the file may have been replaced since the start.
        if (text !== current) adopt(secret);
        current = text;
        return { isNew, accepted: () => telemetry.secretRead(setting) };
      });
      files.push(file);
    },
    ...joinFiles(files),
  };
}
