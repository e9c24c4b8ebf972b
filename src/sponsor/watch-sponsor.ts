import { setTimeout as pause } from 'node:timers/promises';
import { GraphQLError } from 'graphql';
import type { Secret } from '../config/secret.ts';
import type { UpstreamCall } from '../upstream/upstream-call.ts';
import { sponsorEndpoints, toSponsorAnswer } from './refusals/sponsor-answer.ts';
import type { SponsorClient } from './sponsor-client.ts';
import { readVersion } from './wire.ts';

export interface SponsorTokenEvents {
  /** The sponsor rejects the token. Called once, until it accepts the token again. */
  readonly refused: () => void;
  readonly accepted: () => void;
}

/**
 * Wraps a client to notice when the sponsor rejects the gateway's own token: then it rejects every caller, and only the operator can
 * help.
 */
export function watchSponsorToken(client: SponsorClient, events: SponsorTokenEvents): SponsorClient {
  let isRefused = false;
  const note = (refused: boolean): void => {
    if (refused === isRefused) return;
    isRefused = refused;
    if (refused) events.refused();
    else events.accepted();
  };
  const watched = <T>(answer: Promise<T>): Promise<T> => {
    answer.then(
      () => note(false),
      (error: unknown) => {
        if (error instanceof GraphQLError && error.extensions.code === 'SPONSOR_UNAUTHORIZED') note(true);
      },
    );
    return answer;
  };
  return {
    // Need no token.
    health: client.health,
    version: client.version,
    debugHealthCheck: (...args) => watched(client.debugHealthCheck(...args)),
    reserveGas: (...args) => watched(client.reserveGas(...args)),
    executeTx: (...args) => watched(client.executeTx(...args)),
    reloadAccessController: (...args) => watched(client.reloadAccessController(...args)),
  };
}

export interface SponsorVersionWatch {
  /** The last known version, asked for again if it is old; `null` if the sponsor did not answer in time. Never rejects. */
  tell(): Promise<string | null>;
  /** Wraps a client: versions that it reads count as known, and save a call. */
  listen(client: SponsorClient): SponsorClient;
}

export interface SponsorVersionOptions {
  readonly call: UpstreamCall;
  /** Path of the sponsor's address, with or without a slash at its end. */
  readonly basePath: string;
  /** The gateway's own header, if it has one. */
  readonly authorization: () => Secret | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** How long `tell` waits for a first version. */
const timeoutMs = 1_000;
/** A known version is asked for again after this time. */
const freshMs = 60_000;
/** A sponsor that did not answer is asked again after this time. */
const retryMs = 2_000;

/** Knows the sponsor's version, at the cost of one call a minute at most, however many clients ask for it. */
export function watchSponsorVersion(options: SponsorVersionOptions): SponsorVersionWatch {
  const { call, basePath, authorization, now } = options;
  const { method, path } = sponsorEndpoints.version;
  let current: string | null = null;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let inFlight: Promise<unknown> = Promise.resolve();

  const keep = (version: string | null): void => {
    if (version === null) return;
    current = version;
    readAtMs = now();
  };
  const ask = async (): Promise<void> => {
    const own = authorization()?.reveal();
    const headers = { accept: 'application/json, text/plain', ...(own === undefined ? {} : { authorization: own }) };
    const request = { method, path: basePath.replace(/\/+$/, '') + path, headers, timeoutMs };
    // The state of the upstream shows a sponsor that does not answer.
    const response = await call(request).catch(() => null);
    if (response) keep(readVersion(toSponsorAnswer(response)));
  };

  return {
    async tell() {
      if (now() - readAtMs >= freshMs && now() - askedAtMs >= retryMs) {
        askedAtMs = now();
        inFlight = ask();
      }
      if (current === null) await Promise.race([inFlight, pause(timeoutMs, undefined, { ref: false })]);
      return current;
    },
    listen: (client) => ({
      ...client,
      version(own, cancellation) {
        const version = client.version(own, cancellation);
        // `tell` waits for this call instead of making another one.
        askedAtMs = now();
        inFlight = version.then(keep, () => {});
        return version;
      },
    }),
  };
}
