export interface ConfigSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the configuration file and the files that it names, as UTF-8. May throw. */
  readonly readFile: ReadFile;
}

/** Returns the text of a file; throws if it cannot be read. */
export type ReadFile = (path: string) => string;
