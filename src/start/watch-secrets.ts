import { expectedOf, parseText } from '../config/value-types.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { SecretInFile } from '../upstream/upstream.ts';
import { createWatchedFile, type FileNews, fileAt, type WatchedFile, type WatchedFileOptions } from './watched-file.ts';

export interface WatchedSecrets {
  watch<Value>(secret: SecretInFile<Value>): void;
  /** Reads all files now, and tells what came of it even if nothing changed. */
  reload(): Promise<void>;
  stop(): void;
}

export interface WatchSecretsOptions {
  readonly telemetry: Pick<Telemetry, 'secretRead' | 'secretRefused'>;
  readonly fileAt?: (path: string) => Pick<WatchedFileOptions, 'see' | 'read'>;
}

/** Milliseconds between two looks at the files. */
const lookEveryMs = 500;

/**
 * Keeps secrets as their files have them. A file with anything else in it, or one that is gone, changes nothing: the secret
 * stays as it was last.
 */
export function watchSecrets({ telemetry, fileAt: open = fileAt }: WatchSecretsOptions): WatchedSecrets {
  const files: WatchedFile[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isAsked = false;

  return {
    watch({ setting, path, type, adopt }) {
      if (path === null) return;
      /** `null` until the first look, at what was read at the start. */
      let current: string | null = null;
      let isRefused = false;
      const tell = (news: FileNews): void => {
        const text = news.kind === 'text' ? news.text.trim() : '';
        const secret = text === '' ? undefined : parseText(type, text);
        if (secret === undefined) {
          isRefused = true;
          const got = news.kind === 'away' ? `one that cannot be read (${news.reason})` : 'something else';
          telemetry.secretRefused(setting, `a file that holds ${expectedOf(type)}`, got);
          return;
        }
        const isChanged = text !== current;
        const isFirst = current === null;
        current = text;
        // The first look adopts too: what was read at the start may have been replaced since.
        if (isChanged) adopt(secret);
        if ((isChanged && !isFirst) || isRefused || isAsked) telemetry.secretRead(setting);
        isRefused = false;
      };
      const file = createWatchedFile({ ...open(path), tell });
      files.push(file);
      timer ??= setInterval(() => {
        for (const each of files) void each.look();
      }, lookEveryMs).unref();
    },
    async reload() {
      isAsked = true;
      try {
        for (const file of files) await file.readNow();
      } finally {
        isAsked = false;
      }
    },
    stop: () => clearInterval(timer),
  };
}
