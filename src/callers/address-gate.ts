import type { gatewayError } from '../errors/gateway-error.ts';
import { type Standing, toRefusal } from './caller-gate.ts';
import { type TrustedProxies, toAddressKey, toClientAddress } from './client-address.ts';
import type { Sender } from './identify-caller.ts';
import type { RateLimiter } from './rate-limiter.ts';

export interface AddressAdmission {
  /** Why the address is refused now; `null` when it is admitted. */
  readonly error: ReturnType<typeof gatewayError> | null;
  readonly standing: Standing;
}

/** Limits attempts by address, whatever credentials come with them. */
export interface AddressGate {
  /** The network that a sender is counted by: an IPv4 address, or the /64 of an IPv6 one; `null` once its connection is closed. */
  networkOf(sender: Sender): string | null;
  /** Counts one attempt that is not an operation, such as opening a WebSocket. Never rejects. */
  admit(sender: Sender): Promise<AddressAdmission>;
}

export interface AddressGateOptions {
  readonly limiter: Pick<RateLimiter, 'consume'>;
  readonly trustedProxies: TrustedProxies;
}

export function createAddressGate({ limiter, trustedProxies }: AddressGateOptions): AddressGate {
  const networkOf = (sender: Sender) => toClientAddress(sender, trustedProxies)?.network ?? null;
  return {
    networkOf,
    async admit(sender) {
      const network = networkOf(sender);
      if (network === null) return { error: null, standing: null };
      const standing = await limiter.consume({ rate: { key: toAddressKey(network), perMinute: null } }, 1);
      return { error: toRefusal(standing), standing };
    },
  };
}
