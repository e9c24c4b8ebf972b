const shown = new Set(['http:', 'https:', 'ws:', 'wss:', 'redis:', 'rediss:']);

/**
 * A URL as it may be printed: user, password, query and fragment become `[redacted]`, because keys travel in all of
 * them. Text that is not a URL of a scheme we speak is not shown at all: nobody can tell where its secret is.
 */
export function redactUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !shown.has(url.protocol)) return `[not a URL, ${text.length} characters]`;
  const user = url.username || url.password ? '[redacted]@' : '';
  const rest = `${url.search ? '?[redacted]' : ''}${url.hash ? '#[redacted]' : ''}`;
  return `${url.protocol}//${user}${url.host}${url.pathname}${rest}`;
}
