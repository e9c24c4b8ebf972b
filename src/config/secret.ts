import { inspect } from 'node:util';

/** Text that must not be shown: prints, serialises and logs as `[redacted]`. Only `reveal` returns the value. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [inspect.custom](): string {
    return '[redacted]';
  }
}

const shown = new Set(['http:', 'https:', 'ws:', 'wss:', 'redis:', 'rediss:']);

/**
 * A URL that may be printed: user, password, query and fragment become `[redacted]`, because any of them may contain a key.
 * Text that is not a URL of a known scheme is not shown at all, because a secret could be anywhere in it.
 */
export function redactUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !shown.has(url.protocol)) return `[not a URL, ${text.length} characters]`;
  const user = url.username || url.password ? '[redacted]@' : '';
  const rest = `${url.search ? '?[redacted]' : ''}${url.hash ? '#[redacted]' : ''}`;
  return `${url.protocol}//${user}${url.host}${url.pathname}${rest}`;
}

/**
 * Can text be sent as the value of an HTTP header? Text from a WebSocket message may contain line breaks, zero bytes or
 * characters beyond one byte, which cannot be sent.
 */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}
