const shown = new Set(['http:', 'https:', 'ws:', 'wss:', 'redis:', 'rediss:']);

/**
 * A URL that may be printed: user, password, query and fragment become `[redacted]`, because any of them may hold a key.
 * Text that is not a URL of a known scheme is not shown at all, because a secret could be anywhere in it.
 */
export function redactUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !shown.has(url.protocol)) return `[not a URL, ${text.length} characters]`;
  const user = url.username || url.password ? '[redacted]@' : '';
  const rest = `${url.search ? '?[redacted]' : ''}${url.hash ? '#[redacted]' : ''}`;
  return `${url.protocol}//${user}${url.host}${url.pathname}${rest}`;
}
