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

/** Headers by their lower-case names; values of several of one name in a list. */
export type SenderHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** @param remoteAddress the peer of the connection */
export function toSender(headers: SenderHeaders, remoteAddress: string | undefined): Sender {
  return {
    authorization: toSecret(headers.authorization),
    apiKey: toSecret(headers['x-api-key']),
    origin: toText(headers.origin),
    remoteAddress: remoteAddress ?? '',
    forwardedFor: toText(headers['x-forwarded-for']),
  };
}

function toText(value: SenderHeaders[string]): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value;
}

function toSecret(value: SenderHeaders[string]): Secret | null {
  return value === undefined || value === '' ? null : new Secret(toText(value) ?? '');
}
