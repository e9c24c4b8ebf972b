export type Encoding = 'br' | 'gzip';

/** The smaller first. */
const encodings: readonly Encoding[] = ['br', 'gzip'];

/** How an answer may be compressed by an Accept-Encoding header; `null` where it goes as it is. */
export function chooseEncoding(header: string | undefined): Encoding | null {
  if (header === undefined) return null;
  const accepted = new Map<string, boolean>();
  for (const entry of header.toLowerCase().split(',', 32)) {
    const [name = '', ...parameters] = entry.split(';').map((each) => each.trim());
    accepted.set(name, !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each)));
  }
  return encodings.find((each) => accepted.get(each) ?? accepted.get('*')) ?? null;
}
