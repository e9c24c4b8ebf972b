import { toSponsoredTransaction } from '../../support/sponsored-transaction.ts';
import { coinsOf, type SponsorCoin, sponsorAddress } from './sponsor-answers.ts';

/** What a client signs and sends. */
export interface SignedTransaction {
  readonly txBytes: string;
  readonly userSig: string;
}

const gasBudget = 5_000_000;
/** In place of the number by which transactions differ; its eight bytes come nowhere else. */
const placeholder = 0x0012_3456_789a_bcde;
/** A transaction with that number, by the coins that pay for it: there are few sets of coins, and encoding takes long. */
const templates = new Map<readonly SponsorCoin[], { readonly bytes: Buffer; readonly userSig: string }>();

/** A transaction like no other, paid with what was reserved for a budget, which is at least `gasBudget`. */
export function toTransaction(serial: number, reservedBudget: number): SignedTransaction {
  const gasCoins = coinsOf(reservedBudget);
  let template = templates.get(gasCoins);
  if (!template) {
    const { txBytes, userSig } = toSponsoredTransaction({ sponsorAddress, gasCoins, gasBudget }, placeholder);
    template = { bytes: Buffer.from(txBytes, 'base64'), userSig };
    templates.set(gasCoins, template);
  }
  const bytes = Buffer.from(template.bytes);
  toU64(serial).copy(bytes, bytes.indexOf(toU64(placeholder)));
  return { txBytes: bytes.toString('base64'), userSig: template.userSig };
}

function toU64(number: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(number));
  return bytes;
}
