import { Secret } from '../config/secret.ts';

/** What a request and its connection say about who sent it. Nothing of it is checked yet. */
export interface Sender {
  /** `Authorization`, whole; `null` if none. */
  readonly authorization: Secret | null;
  /** `x-api-key`; `null` if none. */
  readonly apiKey: Secret | null;
  /** The web origin of the page that sent the request; only browsers send it. */
  readonly origin: string | undefined;
  /** The address of the connection's peer; empty once the connection is closed. */
  readonly remoteAddress: string;
  /** `X-Forwarded-For`, the values of several headers joined by commas. */
  readonly forwardedFor: string | undefined;
}

/** Headers by lower-case name; a list where a header came several times. */
export type SenderHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** @param remoteAddress the address of the connection's peer */
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
