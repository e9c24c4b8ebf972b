import type { Policy } from '../config/policy.ts';
import { outlineTransaction } from '../transactions/outline-transaction.ts';
import type { TransactionForms } from '../transactions/transaction-bcs.ts';
import { checkTransaction } from './preflight.ts';
import { checkPolicy } from './sponsor-policy.ts';

/** What a policy says about a transaction, without a gateway that runs. */
export interface TransactionVerdict {
  readonly isAllowed: boolean;
  /** The rule that denies; `null`: none, or one that holds under every policy. */
  readonly rule: string | null;
  readonly reason: string | null;
  /** Rules of the policy that depend on what was spent before, or on the ledger. */
  readonly undecided: readonly string[];
}

/** Decides as the preflight does, by the rules that need neither the store nor the ledger. Pure. */
export function judgeTransaction(
  bytes: Uint8Array,
  rules: Policy,
  { forms, nowMs }: { readonly forms: TransactionForms; readonly nowMs: number },
): TransactionVerdict {
  const read = outlineTransaction(bytes, forms);
  const policy = { group: '', rules, total: null };
  const finding = checkTransaction(read, { terms: null, policy, nowMs });
  const outline = read.kind === 'known' ? read.outline : null;
  const subject = { nowMs, durationSecs: null, sender: outline?.sender ?? null, outline };
  const denial =
    finding?.denial ?? checkPolicy(policy, { ...subject, gasBudget: outline && Number(outline.gas.budget) });
  return {
    isAllowed: finding === null && denial === null,
    rule: denial?.rule ?? null,
    reason: denial?.reason ?? finding?.reason ?? null,
    undecided: toUndecided(rules),
  };
}

function toUndecided({ gas, transactions, openReservations }: Policy): readonly string[] {
  const { perTransaction: _, ...counted } = gas;
  return Object.entries({ gas: counted, transactions, openReservations }).flatMap(([name, members]) =>
    Object.entries(members).flatMap(([member, limit]) => (limit === null ? [] : [`${name}.${member}`])),
  );
}
