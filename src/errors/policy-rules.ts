import type { ErrorCode } from './catalogue.ts';

interface RuleFacts {
  readonly code: Extract<ErrorCode, 'RATE_LIMITED' | 'FORBIDDEN' | 'BAD_USER_INPUT' | 'UPSTREAM_UNAVAILABLE'>;
  /** What is exceeded or violated. */
  readonly meaning: string;
  readonly advice: string;
}

const tomorrow = 'Try a smaller budget, or again after `resetsAt`.';
const later = 'Execute a reservation or let it expire, then try again.';
const fix = 'Change the transaction, or ask the operator.';

/**
 * Every rule by which the gateway refuses to sponsor, named as in `CLIENTS_FILE`, and that of the operator's service:
 * `extensions.policy.rule`. A refusal by a rule spends nothing. The table in docs/errors.md is generated from this one.
 */
export const policyRules = {
  'gas.perDay': { code: 'RATE_LIMITED', meaning: 'Gas of the client today.', advice: tomorrow },
  'gas.perVisitorPerDay': {
    code: 'RATE_LIMITED',
    meaning: 'Gas of this visitor of the client today.',
    advice: tomorrow,
  },
  'gas.perSenderPerDay': { code: 'RATE_LIMITED', meaning: 'Gas of the transaction’s sender today.', advice: tomorrow },
  'gas.inAllPerDay': {
    code: 'RATE_LIMITED',
    meaning: 'Gas of all subjects of the JWT issuer today.',
    advice: tomorrow,
  },
  'gas.perTransaction': {
    code: 'FORBIDDEN',
    meaning: 'The gas budget of one transaction.',
    advice: 'Ask for a smaller budget.',
  },
  'gas.storage': { code: 'FORBIDDEN', meaning: 'Storage that one transaction pays for.', advice: fix },
  'transactions.perVisitorPerDay': {
    code: 'RATE_LIMITED',
    meaning: 'Transactions of this visitor today.',
    advice: 'Try again after `resetsAt`.',
  },
  'transactions.perSenderPerDay': {
    code: 'RATE_LIMITED',
    meaning: 'Transactions of the sender today.',
    advice: 'Try again after `resetsAt`.',
  },
  'openReservations.perVisitor': {
    code: 'RATE_LIMITED',
    meaning: 'Reservations of this visitor that are open.',
    advice: later,
  },
  'openReservations.inAll': {
    code: 'RATE_LIMITED',
    meaning: 'Reservations of all visitors of the client that are open.',
    advice: later,
  },
  'openReservations.ofGateway': {
    code: 'RATE_LIMITED',
    meaning: 'Open reservations of all clients, or the share of this client in them.',
    advice: later,
  },
  'reservation.maxDurationSecs': {
    code: 'FORBIDDEN',
    meaning: 'The duration of a reservation.',
    advice: 'Reserve for a shorter time.',
  },
  'reservation.needsSender': {
    code: 'BAD_USER_INPUT',
    meaning: '`reserveGas` names no sender.',
    advice: 'Pass the argument `sender`.',
  },
  'senders.allow': { code: 'FORBIDDEN', meaning: 'The sender is not on the list.', advice: 'Use another sender.' },
  'senders.deny': { code: 'FORBIDDEN', meaning: 'The sender is on the list.', advice: 'Use another sender.' },
  moveCalls: { code: 'FORBIDDEN', meaning: 'The transaction calls something else.', advice: fix },
  'commands.allow': { code: 'FORBIDDEN', meaning: 'The transaction has another command.', advice: fix },
  'commands.max': { code: 'FORBIDDEN', meaning: 'The commands of one transaction.', advice: fix },
  from: { code: 'FORBIDDEN', meaning: 'The policy is not in force yet.', advice: 'Try again after `resetsAt`.' },
  hook: {
    code: 'FORBIDDEN',
    meaning: 'The operator’s service at `SPONSOR_POLICY_URL` denies it; the message is the service’s.',
    advice: fix,
  },
  until: { code: 'FORBIDDEN', meaning: 'The policy has ended.', advice: 'Ask the operator.' },
} as const satisfies Readonly<Record<string, RuleFacts>>;

export type PolicyRule = keyof typeof policyRules;

export const policyRuleNames = Object.keys(policyRules) as readonly PolicyRule[];
