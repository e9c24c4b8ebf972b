/** Request headers whose values are secrets. */
const credentials = /^(?:authorization|cookie|x-api-key)$/i;

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * The request as a shell command. Without `credentials`, their values are shell variables: `x-api-key: $X_API_KEY`.
 */
export function toCurl(
  {
    url,
    headers,
    body,
  }: { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string },
  hasCredentials: boolean,
): string {
  const lines = Object.entries(headers).map(([name, value]) =>
    credentials.test(name) && !hasCredentials
      ? `-H "${name}: $${name.toUpperCase().replaceAll('-', '_')}"`
      : `-H ${quote(`${name}: ${value}`)}`,
  );
  return [`curl -sN ${quote(url)}`, ...lines, `-d ${quote(body)}`].join(' \\\n  ');
}
