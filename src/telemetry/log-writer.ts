/** Receives each line of the log. Credentials are redacted only by the logger that `createLogger` makes. */
export interface LogWriter {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface LoggerOptions {
  /** Lines below this level are not written. */
  readonly level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  /**
   * Receives each line, a JSON object and a line break. Default: standard output, where request lines and most lines of
   * sponsorship are buffered for up to 0.1 s and written together; all other lines are written immediately.
   */
  readonly destination?: { write(line: string): void };
}
