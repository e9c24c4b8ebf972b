import type { AddressSetting } from './address-setting.ts';
import type { ConfigMistake } from './config-error.ts';
import { configKeyNames } from './keys.ts';
import { misspeltName } from './nearest-name.ts';
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
  const names = [...configKeyNames, ...further.map((each) => each.name)];
  for (const name of names) {
    const text = ownText(env, name) || file.settings.get(name)?.trim();
    if (text) texts.set(name, text);
  }
  return { texts, mistakes: [...findMisspelt(env, names), ...file.mistakes] };
}

function ownText(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const text = env[name]?.trim() ?? '';
  return isServiceAddress(name, text) ? '' : text;
}

/**
 * Is it what a cluster tells every program of its services, like `METRICS_PORT=tcp://10.0.0.7:80` of one called metrics?
 * No setting has such a value.
 */
function isServiceAddress(name: string, text: string): boolean {
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\/[\da-f.:[\]]{2,45}:\d{1,5}$/.test(text.trim());
}

/** Variables of the environment that are nearly a setting: whoever set one goes on believing that it is in force. */
function findMisspelt(env: Readonly<Record<string, string | undefined>>, names: readonly string[]): ConfigMistake[] {
  const mistakes: ConfigMistake[] = [];
  for (const [typed, text] of Object.entries(env)) {
    if (!text?.trim() || names.includes(typed) || isServiceAddress(typed, text)) continue;
    const meant = misspeltName(typed, names);
    if (meant)
      mistakes.push({
        key: quoteText(typed).slice(1, -1),
        expected: `the name ${meant}`,
        got: 'one that is nearly it',
      });
  }
  return mistakes;
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
