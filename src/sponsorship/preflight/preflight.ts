import type { GraphQLError } from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';
import { checkTransaction, type TransactionRules, type TransactionVerdict } from './check-transaction.ts';
import { toSignatureFault } from './signature-fault.ts';

/**
 * `enforce`: what does not pass, or cannot be read, is refused. `warn`: it goes on, and the operator is told. `off`: nothing
 * is looked at. A list of what its caller may call holds in all of them.
 */
export type PreflightPolicy = 'enforce' | 'warn' | 'off';

export interface PreflightSubject extends TransactionRules {
  readonly txBytes: Uint8Array;
  readonly userSig: Uint8Array;
  /** Told with a refusal. */
  readonly facts: { readonly digest: string; readonly reservationId: string };
  /** Told why a transaction that is sent all the same would have been refused. */
  readonly doubt: (reason: string) => void;
}

/**
 * Looks at a transaction before anything is done for it: why it must not be sent, or `null`. Nothing is spent by a refusal.
 * @returns `FORBIDDEN` for what this caller may not call; `BAD_USER_INPUT` for the rest
 */
export function preflight(policy: PreflightPolicy, subject: PreflightSubject): GraphQLError | null {
  const isRestricted = subject.moveCalls !== null;
  if (policy === 'off' && !isRestricted) return null;
  const verdict = checkTransaction(subject.txBytes, policy === 'off' ? { ...subject, terms: null } : subject);
  const found =
    toFinding(verdict) ??
    toSignatureFinding(subject.userSig) ??
    (policy === 'enforce' ? toUnknownTerms(subject) : null);
  if (found === null) return null;
  if (policy !== 'enforce' && !(isRestricted && found.isOfCalls)) {
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
  /** Does it leave open whether all that is called may be? */
  readonly isOfCalls: boolean;
}

function toFinding(verdict: TransactionVerdict): Finding | null {
  switch (verdict.kind) {
    case 'ok':
      return null;
    case 'refused':
      return { argument: 'txBytes', ...verdict, isOfCalls: verdict.code === 'FORBIDDEN' };
    case 'unverifiable': {
      const reason = `it cannot be verified, because it is no transaction of a form that this gateway knows: ${verdict.reason}`;
      return { argument: 'txBytes', code: 'BAD_USER_INPUT', reason, isOfCalls: true };
    }
  }
}

function toSignatureFinding(userSig: Uint8Array): Finding | null {
  const reason = toSignatureFault(userSig);
  return reason === null ? null : { argument: 'userSig', code: 'BAD_USER_INPUT', reason, isOfCalls: false };
}

/** Not for `warn`: whoever reserves elsewhere and executes here would fill the log with it. */
function toUnknownTerms({ terms }: TransactionRules): Finding | null {
  if (terms !== null) return null;
  const reason = 'the transaction cannot be verified, because nothing is known here of its reservation';
  return { argument: 'reservationId', code: 'BAD_USER_INPUT', reason, isOfCalls: false };
}
