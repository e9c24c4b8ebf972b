import type { AddressGate } from '../callers/address-gate.ts';
import type { VersionRefusal } from '../callers/rpc-version.ts';
import type { gatewayError } from '../errors/gateway-error.ts';
import type { Exchange } from './exchange.ts';

/** An error if the caller may ask again later, else what is wrong with the request itself. */
export type Refusal = VersionRefusal | { readonly error: ReturnType<typeof gatewayError> };

/**
 * Refuses a request for what its head says. It counts against the address, whatever credentials it has; over the limit it is
 * refused for that.
 */
export type RefuseCounted = (exchange: Exchange, refusal: Refusal) => void;

export function createRefuseCounted(addresses: Pick<AddressGate, 'admit'>): RefuseCounted {
  return (exchange, refusal) => {
    const counted = addresses.admit(exchange.sender).then(({ error, standing }) => {
      if (exchange.isGone()) return;
      exchange.onStanding(standing);
      if (error) exchange.refuseWith(error);
      else if ('error' in refusal) exchange.refuseWith(refusal.error);
      else exchange.refuse(refusal.code, refusal.message, refusal.status);
    });
    exchange.failWith(counted);
  };
}

/** The same for a request whose body was not read, which would be taken for the next request: closes the connection. */
export function refuseUnread(refuse: RefuseCounted, exchange: Exchange, refusal: Refusal): void {
  exchange.endConnection();
  refuse(exchange, refusal);
}
