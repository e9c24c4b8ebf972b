import { setTimeout as pause } from 'node:timers/promises';
import type { Secret } from '../config/secret.ts';
import type { UpstreamCall } from '../upstream/upstream-call.ts';
import { toSponsorAnswer } from './refusals/sponsor-answer.ts';
import { sponsorEndpoints } from './refusals/sponsor-endpoint.ts';
import type { SponsorClient } from './sponsor-client.ts';
import { readVersion } from './wire.ts';

export interface SponsorVersionWatch {
  /** The version last heard, asked for anew if it is old; `null` where none was heard in time. Never rejects. */
  tell(): Promise<string | null>;
  /** The same client; the versions that it hears count as heard, and save a call. */
  listen(client: SponsorClient): SponsorClient;
}

export interface SponsorVersionOptions {
  readonly call: UpstreamCall;
  /** Path of the sponsor's address, with or without a slash at its end; `''` or `/` for none. */
  readonly basePath: string;
  /** The gateway's own header, where it has one. */
  readonly authorization: () => Secret | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Whoever shows the version waits this long for it, and shows none after that. */
const timeoutMs = 1_000;
/** A version is not asked for again within this time. */
const freshMs = 60_000;
/** A sponsor that did not tell its version is not asked again within this time. */
const retryMs = 2_000;

/** Knows which version the sponsor runs, at the cost of one call a minute at most, however many clients look at it. */
export function watchSponsorVersion({
  call,
  basePath,
  authorization,
  now,
}: SponsorVersionOptions): SponsorVersionWatch {
  const { method, path } = sponsorEndpoints.version;
  const toRequest = () => {
    const own = authorization()?.reveal();
    const headers = { accept: 'application/json, text/plain', ...(own === undefined ? {} : { authorization: own }) };
    return { method, path: basePath.replace(/\/+$/, '') + path, headers, timeoutMs };
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
    call(toRequest()).then(
      (response) => hear(readVersion(toSponsorAnswer(response))),
      // Not told here: the state of the upstream shows already that it does not answer.
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
        // Whoever shows the version meanwhile waits for this call instead of making another one.
        askedMs = now();
        underWay = version.then(hear, () => {});
        return version;
      },
    }),
  };
}
