import type { GraphQLError } from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';
import { checkTransaction, type TransactionRules, type TransactionVerdict } from './check-transaction.ts';
import { toSignatureFault } from './signature-fault.ts';

/**
 * `enforce` refuses what does not pass or cannot be read. `warn` sends it and tells the operator. `off` looks at nothing. The
 * bounds of the caller hold in every policy: a list of what it may call, and a gas budget, of which no more is counted than was
 * reserved.
 */
export type PreflightPolicy = 'enforce' | 'warn' | 'off';

export interface PreflightSubject extends TransactionRules {
  readonly txBytes: Uint8Array;
  readonly userSig: Uint8Array;
  /** Has its caller a gas budget? */
  readonly isGasCounted: boolean;
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
  /** `all`: it leaves everything open. */
  readonly of: 'calls' | 'gas' | 'rest' | 'all';
}

/** Does it hold whatever the policy is? */
function isBinding({ of }: Finding, { moveCalls, isGasCounted }: PreflightSubject): boolean {
  if (of === 'calls') return true;
  if (of === 'gas') return isGasCounted;
  return of === 'all' && (isGasCounted || moveCalls !== null);
}

function toFinding(verdict: TransactionVerdict): Finding | null {
  switch (verdict.kind) {
    case 'ok':
      return null;
    case 'refused':
      return { argument: 'txBytes', ...verdict };
    case 'unverifiable': {
      const reason = `it cannot be verified, because it is no transaction of a form that this gateway knows: ${verdict.reason}`;
      return { argument: 'txBytes', code: 'BAD_USER_INPUT', reason, of: 'all' };
    }
  }
}

function toSignatureFinding(userSig: Uint8Array): Finding | null {
  const reason = toSignatureFault(userSig);
  return reason === null ? null : { argument: 'userSig', code: 'BAD_USER_INPUT', reason, of: 'rest' };
}

/** Not for `warn`: whoever reserves elsewhere and executes here would fill the log with it. */
function toUnknownTerms({ terms }: TransactionRules): Finding | null {
  if (terms !== null) return null;
  const reason = 'the transaction cannot be verified, because nothing is known here of its reservation';
  return { argument: 'reservationId', code: 'BAD_USER_INPUT', reason, of: 'rest' };
}
