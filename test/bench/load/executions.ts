import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { hashCoins } from '../../../src/sponsorship/leases/hash-coins.ts';
import { toSponsoredTransaction } from '../../support/sponsored-transaction.ts';
import { sponsorAddress } from './sponsor-answers.ts';
import { callerOf, leaseKeys } from './sponsor-callers.ts';

/** What a client sends to have a transaction executed, whoever carries it there. */
export interface Execution {
  /** As the gateway gives it. */
  readonly reservationId: string;
  /** As the sponsor does. */
  readonly rawReservationId: number;
  readonly txBytes: string;
  readonly userSig: string;
}

const gasBudget = 5_000_000;
const leaseMs = 60_000;
const firstReservation = 1_000_000_000;
const coin = { objectId: `0x${'c'.repeat(64)}`, version: 1_000_000, digest: base58.encode(new Uint8Array(32).fill(9)) };
const coinsHash = hashCoins([{ ...coin, version: String(coin.version) }]);

/** In place of the number by which transactions differ; its eight bytes come nowhere else. */
const placeholder = 0x0012_3456_789a_bcde;
const { txBytes: template, userSig } = toSponsoredTransaction(
  { sponsorAddress, gasCoins: [coin], gasBudget },
  placeholder,
);
const templateBytes = Buffer.from(template, 'base64');
const numberAt = templateBytes.indexOf(toBytes(placeholder));

/**
 * A transaction like no other, with a reservation of its own. The reservation is not made, because that is another work: its
 * lease is signed here, with the gateway's key, and is what `reserveGas` would have given to this caller just now.
 */
export function executionOf(serial: number): Execution {
  const rawReservationId = firstReservation + serial;
  const issuedAtMs = Date.now();
  const lease = {
    leaseId: randomBytes(16).toString('base64url'),
    rawReservationId: String(rawReservationId),
    sponsorAddress,
    gasBudget,
    issuedAtMs,
    expiresAtMs: issuedAtMs + leaseMs,
    coinsHash,
  };
  const bytes = Buffer.from(templateBytes);
  toBytes(serial).copy(bytes, numberAt);
  return {
    reservationId: leaseKeys.sign(lease, callerOf(serial).name),
    rawReservationId,
    txBytes: bytes.toString('base64'),
    userSig,
  };
}

/** A u64 as BCS has it. */
function toBytes(number: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(number));
  return bytes;
}
