import { GraphQLError } from 'graphql';
import type { SponsorClient } from './sponsor-client.ts';

export interface SponsorTokenEvents {
  /** The sponsor does not take the token. Told once, until it takes it again. */
  readonly refused: () => void;
  readonly accepted: () => void;
}

/**
 * The same client, watched for a token that the sponsor does not take. It is the gateway's own token, so every caller is
 * refused for it, and only the operator can do something about it.
 */
export function watchSponsorToken(client: SponsorClient, events: SponsorTokenEvents): SponsorClient {
  let isRefused = false;
  const hear = (refused: boolean): void => {
    if (refused === isRefused) return;
    isRefused = refused;
    if (refused) events.refused();
    else events.accepted();
  };
  const watched = <T>(answer: Promise<T>): Promise<T> => {
    answer.then(
      () => hear(false),
      (error: unknown) => {
        if (error instanceof GraphQLError && error.extensions.code === 'SPONSOR_UNAUTHORIZED') hear(true);
      },
    );
    return answer;
  };
  return {
    // Open to everybody: they say nothing of the token.
    health: (...args) => client.health(...args),
    version: (...args) => client.version(...args),
    debugHealthCheck: (...args) => watched(client.debugHealthCheck(...args)),
    reserveGas: (...args) => watched(client.reserveGas(...args)),
    executeTx: (...args) => watched(client.executeTx(...args)),
    reloadAccessController: (...args) => watched(client.reloadAccessController(...args)),
  };
}
