import type { AddressGate } from '../callers/caller-gate.ts';
import type { VersionRefusal } from '../callers/rpc-version.ts';
import type { gatewayError } from '../errors/gateway-error.ts';
import type { AdmitOperation } from '../operation/admit-operation.ts';
import type { FairTurns } from '../operation/fair-turns.ts';
import type { Caller } from '../upstream/operation-context.ts';
import { type BytesInFlight, tooMuchInFlight } from './bounds/bytes-in-flight.ts';
import type { Exchange } from './exchange.ts';

/** An error if the caller may retry later, else what is wrong with the request itself. */
export type Refusal = VersionRefusal | { readonly error: ReturnType<typeof gatewayError> };

/** Counts every request before it is served or refused; over its rate limit it is refused for that. */
export interface Entrance {
  /** Counts the caller, and calls `serve` in the caller's turn unless the client has left. */
  enter(exchange: Exchange, serve: (caller: Caller) => void): void;
  /** The same, but counts the address only, whatever credentials the request has. */
  enterAddress(exchange: Exchange, serve: () => void): void;
  /** Counts the address, and refuses the request for what its head says. */
  refuse(exchange: Exchange, refusal: Refusal): void;
  /** The same for a request whose body was not read: closes the connection, where the body would be the next request. */
  refuseUnread(exchange: Exchange, refusal: Refusal): void;
}

export interface EntranceOptions {
  readonly enter: AdmitOperation['enter'];
  readonly addresses: Pick<AddressGate, 'admit'>;
  readonly turns: Pick<FairTurns, 'run'>;
  readonly bytesInFlight: Pick<BytesInFlight, 'take'>;
}

export function createEntrance({ enter, addresses, turns, bytesInFlight }: EntranceOptions): Entrance {
  function enterAs(
    sender: Parameters<AdmitOperation['enter']>[0],
    exchange: Exchange,
    serve: (caller: Caller) => void,
  ): void {
    enter(sender)
      .then((entry) => {
        if (exchange.isGone()) return;
        const error = entry.kind === 'refused' ? entry.error : hold(exchange, entry.caller);
        // Bodies that wait for a turn are counted: drop one that is refused.
        if (error) exchange.body = null;
        // A refused caller may have no name: its turn is that of its address.
        const key = entry.kind === 'refused' ? (exchange.sender.remoteAddress ?? '') : entry.caller.rate.key;
        return turns.run(key, exchange, () => {
          if (exchange.isGone()) return;
          if (error) exchange.refuseWith(error);
          else if (entry.kind === 'entered') serve(entry.caller);
        });
      })
      .catch((error: unknown) => exchange.fail(error));
  }

  /** Counts the body of the request as in flight. @returns why there is no room for it */
  function hold(exchange: Exchange, { rate }: Caller): ReturnType<typeof gatewayError> | null {
    const held = bytesInFlight.take(rate.key, exchange.requestBytes);
    if (held) exchange.held = held;
    return held ? null : tooMuchInFlight();
  }

  function refuse(exchange: Exchange, refusal: Refusal): void {
    const counted = addresses.admit(exchange.sender).then(({ error, standing }) => {
      if (exchange.isGone()) return;
      exchange.onStanding(standing);
      if (error) exchange.refuseWith(error);
      else if ('error' in refusal) exchange.refuseWith(refusal.error);
      else exchange.refuse(refusal.code, refusal.message, refusal.status);
    });
    exchange.failWith(counted);
  }

  return {
    enter: (exchange, serve) => enterAs(exchange, exchange, serve),
    enterAddress(exchange, serve) {
      const sender = { ...exchange.sender, authorization: null, apiKey: null };
      enterAs({ sender, onStanding: (standing) => exchange.onStanding(standing) }, exchange, serve);
    },
    refuse,
    refuseUnread(exchange, refusal) {
      exchange.endConnection();
      refuse(exchange, refusal);
    },
  };
}
