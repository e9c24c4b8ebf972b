import type { GraphQLError } from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';
import { checkTransaction, type TransactionRules, type TransactionVerdict } from './check-transaction.ts';

/**
 * `enforce` rejects a transaction that does not pass or cannot be read. `warn` sends it and logs the reason. `off` checks nothing.
 * The caller's own bounds, a list of calls and a gas budget, apply under every policy.
 */
export type PreflightPolicy = 'enforce' | 'warn' | 'off';

export interface PreflightSubject extends TransactionRules {
  readonly txBytes: Uint8Array;
  readonly userSig: Uint8Array;
  /** Does the caller have a gas budget? */
  readonly isGasCounted: boolean;
  /** Part of the error. */
  readonly facts: { readonly digest: string; readonly reservationId: string };
  /** Called with the reason if a transaction is sent that `enforce` would reject. */
  readonly doubt: (reason: string) => void;
}

/**
 * Checks a transaction before anything is sent: why it must not be sent, or `null`. A rejection spends nothing.
 * @returns `FORBIDDEN` for what this caller may not call; `BAD_USER_INPUT` for the rest
 */
export function preflight(policy: PreflightPolicy, subject: PreflightSubject): GraphQLError | null {
  if (policy === 'off' && subject.moveCalls === null && !subject.isGasCounted) return null;
  const found =
    toFinding(checkTransaction(subject.txBytes, subject)) ??
    toSignatureFinding(subject.userSig) ??
    (policy === 'enforce' ? toUnknownTerms(subject) : null);
  if (found === null) return null;
  if (policy !== 'enforce' && !isBinding(found, subject)) {
    if (policy === 'warn') subject.doubt(`${found.argument}: ${found.reason}`);
    return null;
  }
  const { argument, code, reason } = found;
  const message = `Argument "${argument}": ${reason}. Nothing was sent to the sponsor, and nothing is spent.`;
  return gatewayError(code, message, { argument, ...subject.facts });
}

interface Finding {
  readonly argument: 'txBytes' | 'userSig' | 'reservationId';
  readonly code: 'BAD_USER_INPUT' | 'FORBIDDEN';
  readonly reason: string;
  /** `all`: nothing could be checked. */
  readonly of: 'calls' | 'gas' | 'rest' | 'all';
}

/** Does the finding apply under every policy? */
function isBinding({ of }: Finding, { moveCalls, isGasCounted }: PreflightSubject): boolean {
  if (of === 'calls') return true;
  if (of === 'gas') return isGasCounted;
  return of === 'all' && (isGasCounted || moveCalls !== null);
}

function toFinding(verdict: TransactionVerdict): Finding | null {
  if (verdict.kind === 'ok') return null;
  if (verdict.kind === 'refused') return { argument: 'txBytes', ...verdict };
  const reason = `it cannot be verified, because it is no transaction of a form that this gateway knows: ${verdict.reason}`;
  return { argument: 'txBytes', code: 'BAD_USER_INPUT', reason, of: 'all' };
}

/** Schemes whose signatures have one length: flag, signature, public key. */
const simpleSchemes = [
  { name: 'Ed25519', bytes: 97 },
  { name: 'Secp256k1', bytes: 98 },
  { name: 'Secp256r1', bytes: 98 },
];

/**
 * Rejects bytes that are no signature, which would spend the reservation for nothing. Other schemes (multisig, zkLogin, passkeys) have
 * no fixed length and pass. The ledger decides whose signature it is, since addresses may be derived and delegated.
 */
function toSignatureFinding(userSig: Uint8Array): Finding | null {
  const scheme = simpleSchemes[userSig[0] ?? 0];
  if (!scheme || scheme.bytes === userSig.length) return null;
  const reason = `it is no signature: one of ${scheme.name} has ${scheme.bytes} bytes, its flag and its public key included, and this has ${userSig.length}`;
  return { argument: 'userSig', code: 'BAD_USER_INPUT', reason, of: 'rest' };
}

/** Not under `warn`: callers that reserve elsewhere and execute here would fill the log. */
function toUnknownTerms({ terms }: TransactionRules): Finding | null {
  if (terms !== null) return null;
  const reason = 'the transaction cannot be verified, because nothing is known here of its reservation';
  return { argument: 'reservationId', code: 'BAD_USER_INPUT', reason, of: 'rest' };
}
