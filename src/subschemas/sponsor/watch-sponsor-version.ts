import { setTimeout as pause } from 'node:timers/promises';
import type { Secret } from '../../config/secret.ts';
import type { UpstreamCall } from '../../transport/upstream-call.ts';
import { toSponsorAnswer } from './sponsor-answer.ts';
import type { SponsorClient } from './sponsor-client.ts';
import { sponsorEndpoints } from './sponsor-endpoint.ts';
import { readVersion } from './wire.ts';

export interface SponsorVersionWatch {
  /** What the sponsor last said, whoever asked. It is asked where that is not known, or old. Never rejects. */
  tell(): Promise<string | null>;
  /** The same client, what it hears of versions remembered. */
  listen(client: SponsorClient): SponsorClient;
}

export interface SponsorVersionOptions {
  readonly call: UpstreamCall;
  /** Path of the sponsor's address, with or without a slash at its end; `''` or `/` for none. */
  readonly basePath: string;
  /** The gateway's own header, where it has one. */
  readonly authorization: Secret | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** How long somebody who only looks waits for it, in milliseconds. */
const timeoutMs = 1_000;
/** How long an answer is news, and how long it is left alone that gave none, in milliseconds. */
const freshMs = 60_000;
const retryMs = 2_000;

/** Knows which version the sponsor runs. Whoever wants to know costs it a call a minute at most, together with all others. */
export function watchSponsorVersion({
  call,
  basePath,
  authorization,
  now,
}: SponsorVersionOptions): SponsorVersionWatch {
  const { method, path } = sponsorEndpoints.version;
  const request = {
    method,
    path: basePath.replace(/\/+$/, '') + path,
    headers: {
      accept: 'application/json, text/plain',
      ...(authorization && { authorization: authorization.reveal() }),
    },
    timeoutMs,
  };
  let current: string | null = null;
  let heardMs = Number.NEGATIVE_INFINITY;
  let askedMs = Number.NEGATIVE_INFINITY;
  let underWay: Promise<unknown> = Promise.resolve();

  const hear = (version: string | null): void => {
    if (version === null) return;
    current = version;
    heardMs = now();
  };
  const ask = (): Promise<void> =>
    call(request).then(
      (response) => hear(readVersion(toSponsorAnswer(response))),
      // The upstream's state says that it does not answer.
      () => {},
    );

  return {
    async tell() {
      if (now() - heardMs >= freshMs && now() - askedMs >= retryMs) {
        askedMs = now();
        underWay = ask();
      }
      if (current === null) await Promise.race([underWay, pause(timeoutMs, undefined, { ref: false })]);
      return current;
    },
    listen: (client) => ({
      ...client,
      version(own, cancellation) {
        const version = client.version(own, cancellation);
        // Whoever wants to know meanwhile waits for this call rather than make another.
        askedMs = now();
        underWay = version.then(hear, () => {});
        return version;
      },
    }),
  };
}
