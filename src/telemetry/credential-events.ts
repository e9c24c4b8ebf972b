/** What is new of the clients, by their ids, and how many there are now. */
export interface ClientsRead {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly clients: number;
}

/** Writes one line. Never throws. */
export type WriteLine = (level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: object) => void;

/** What operators hear of what makes callers known; see `Telemetry`. */
export interface CredentialEvents {
  /** The file of the clients was read again, and they are in force as it has them. */
  readonly clientsRead: (read: ClientsRead) => void;
  /** It has mistakes, or cannot be read: the clients stay as they are. @param mistakes a line each, without secrets */
  readonly clientsRefused: (mistakes: readonly string[]) => void;
  /** The file of a secret was read again, and what it holds is in force. @param setting the setting that names it */
  readonly secretRead: (setting: string) => void;
  /** It cannot be read, or holds something else: the secret stays as it is. */
  readonly secretRefused: (setting: string, expected: string, got: string) => void;
  /**
   * The keys that verify JWTs cannot be read: those that are known go on.
   * @param reason one line, without the address
   * @param setting the setting that holds it
   */
  readonly signingKeysLost: (reason: string, setting: string) => void;
  readonly signingKeysBack: () => void;
  /** Their issuer publishes others than before. @param keys how many */
  readonly signingKeysReplaced: (keys: number) => void;
}

export function createCredentialEvents(log: WriteLine): CredentialEvents {
  return {
    clientsRead: (read) => log('info', 'the clients file was read again', read),
    clientsRefused: (mistakes) =>
      log('error', 'the clients file is refused; the clients stay as they are', { setting: 'CLIENTS_FILE', mistakes }),
    secretRead: (setting) => log('info', 'the file of a secret was read again', { setting }),
    secretRefused: (setting, expected, got) =>
      log('error', 'the file of a secret is refused; the secret stays as it is', { setting, expected, got }),
    signingKeysLost: (reason, setting) =>
      log('warn', 'the keys that verify JWTs cannot be read: those that are known go on', { setting, reason }),
    signingKeysBack: () => log('info', 'the keys that verify JWTs can be read again'),
    signingKeysReplaced: (keys) => log('info', 'the keys that verify JWTs were read', { keys }),
  };
}
