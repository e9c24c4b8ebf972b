import { Secret } from '../config/secret.ts';

/** What a request says of who sent it, and what the connection knows. Nothing of it is checked yet. */
export interface Sender {
  /** `Authorization`, whole; `null` if none. */
  readonly authorization: Secret | null;
  /** `x-api-key`; `null` if none. */
  readonly apiKey: Secret | null;
  /** The web origin of the page that sent it; browsers alone say so. */
  readonly origin: string | undefined;
  /** The peer of the connection; empty once that is closed. */
  readonly remoteAddress: string;
  /** `X-Forwarded-For`, the values of several headers joined by commas. */
  readonly forwardedFor: string | undefined;
}

/**
 * @param read gives a header by its lower-case name
 * @param remoteAddress the peer of the connection
 */
export function toSender(
  read: (header: string) => string | readonly string[] | undefined,
  remoteAddress: string | undefined,
): Sender {
  const text = (header: string) => {
    const value = read(header);
    return typeof value === 'object' ? value.join(', ') : value;
  };
  const secret = (header: string) => {
    const value = text(header);
    return value === undefined || value === '' ? null : new Secret(value);
  };
  return {
    authorization: secret('authorization'),
    apiKey: secret('x-api-key'),
    origin: text('origin'),
    remoteAddress: remoteAddress ?? '',
    forwardedFor: text('x-forwarded-for'),
  };
}
