import type { Client } from './client.ts';
import type { ConfigMistake } from './config-error.ts';
import { parseClients } from './parse-clients.ts';
import { quoteText } from './quote-text.ts';
import { type ReadFile, toErrorCode } from './read-settings.ts';

export interface ClientsFile {
  /** `null` without a file, or when it has mistakes. */
  readonly clients: readonly Client[] | null;
  readonly mistakes: readonly ConfigMistake[];
}

/** Reads and parses the clients file. @param path `undefined` = there is none */
export function readClients(path: string | undefined, readFile: ReadFile): ClientsFile {
  if (path === undefined) return { clients: null, mistakes: [] };
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    const got = `${quoteText(path)}, which cannot be read (${toErrorCode(error)})`;
    return { clients: null, mistakes: [{ key: 'CLIENTS_FILE', expected: 'a path to a readable file', got }] };
  }
  const result = parseClients(text);
  return 'clients' in result ? { ...result, mistakes: [] } : { clients: null, mistakes: result.mistakes };
}
