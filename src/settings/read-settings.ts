import type { AddressSetting } from '../config/address-setting.ts';
import type { ConfigMistake } from './config-error.ts';
import { configKeyNames } from './keys.ts';
import { parseConfigFile } from './parse-config-file.ts';
import { quoteText } from './quote-text.ts';

/** Returns the text of a file; throws when it cannot be read. */
export type ReadFile = (path: string) => string;

export interface RawSettings {
  /** The settings that are set, as trimmed text. An empty text counts as unset. */
  readonly texts: ReadonlyMap<string, string>;
  readonly mistakes: readonly ConfigMistake[];
}

/**
 * Merges the environment with the configuration file named in it, if any; the environment wins.
 * @param further settings beside those of the table
 */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  readFile: ReadFile,
  further: readonly AddressSetting[],
): RawSettings {
  const file = readConfigFile(env.CONFIG_FILE?.trim() ?? '', readFile, further);
  const texts = new Map<string, string>();
  for (const name of [...configKeyNames, ...further.map((each) => each.name)]) {
    const text = env[name]?.trim() || file.settings.get(name)?.trim();
    if (text) texts.set(name, text);
  }
  return { texts, mistakes: file.mistakes };
}

function readConfigFile(
  path: string,
  readFile: ReadFile,
  further: readonly AddressSetting[],
): ReturnType<typeof parseConfigFile> {
  if (path === '') return { settings: new Map(), mistakes: [] };
  try {
    return parseConfigFile(readFile(path), further);
  } catch (error) {
    const got = `${quoteText(path)}, which cannot be read (${toErrorCode(error)})`;
    return { settings: new Map(), mistakes: [{ key: 'CONFIG_FILE', expected: 'a path to a readable file', got }] };
  }
}

/** The system's code of a failure, like `ENOENT`. The message is not shown, since it would quote the path. */
export function toErrorCode(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z_\d]{1,40}$/.test(code) ? code : 'unknown error';
}
