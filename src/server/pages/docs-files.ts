import { readdir, readFile } from 'node:fs/promises';

const folder = new URL('../../../docs/', import.meta.url);

export interface DocsFile {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

let reading: Promise<readonly DocsFile[]> | undefined;

/** Reads the documentation beside the program once, in Markdown: the package has it, the container image does not. */
export function readDocs(): Promise<readonly DocsFile[]> {
  reading ??= readAll().catch((error: NodeJS.ErrnoException) => {
    // The next request reads again: too many files may have been open.
    if (error.code !== 'ENOENT') reading = undefined;
    return [];
  });
  return reading;
}

async function readAll(): Promise<readonly DocsFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text };
    }),
  );
}
