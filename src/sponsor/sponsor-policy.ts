import { GraphQLError } from 'graphql';
import type { Policy } from '../config/policy.ts';
import { type ErrorFacts, gatewayError } from '../errors/gateway-error.ts';
import { type PolicyRule, policyRules } from '../errors/policy-rules.ts';
import type { SponsorshipFacts } from '../telemetry/sponsorship-line.ts';
import type { TransactionOutline } from '../transactions/outline-transaction.ts';
import type { Caller, CallerPolicy } from '../upstream/operation-context.ts';
import { dayOf, type HoldDenied, type HoldRequest, type Spending } from './store/sponsorship-store.ts';

/** A refusal by a rule of the caller's policy. */
export interface Denial {
  readonly rule: PolicyRule;
  /** A clause without a final full stop, safe to show to the client. */
  readonly reason: string;
  readonly argument: string | null;
  /** What the rule allows; `null` if it is no number. Like `used`, in the unit of the rule. */
  readonly limit: number | null;
  /** What counts against the limit: used and held before, or what the request alone asks for. */
  readonly used: number | null;
  /** When the rule may let the request pass: milliseconds since the Unix epoch; `null` if not by itself. */
  readonly resetsAtMs: number | null;
}

/** What is known of a request when its policy is checked. `null` = not known yet, or not part of it. */
export interface PolicySubject {
  readonly nowMs: number;
  readonly gasBudget: number | null;
  readonly durationSecs: number | null;
  /** 0x and 64 digits in lower case. */
  readonly sender: string | null;
  readonly outline: Pick<TransactionOutline, 'commands' | 'commandCount' | 'moveCalls'> | null;
}

type Check = (rules: Policy, subject: PolicySubject) => Denial | null;

/**
 * Checks the rules that need no records: time, budget, duration, sender, commands and calls. Pure. Each step asks with what it
 * knows: before a reservation without an outline, before an execution without a duration.
 */
export function checkPolicy(policy: CallerPolicy | null, subject: PolicySubject): Denial | null {
  if (!policy) return null;
  for (const check of checks) {
    const denial = check(policy.rules, subject);
    if (denial) return denial;
  }
  return null;
}

const checks: readonly Check[] = [
  ({ fromMs, untilMs }, { nowMs }) => {
    if (fromMs !== null && nowMs < fromMs)
      return deny('from', null, `sponsorship for this caller begins at ${toText(fromMs)}`, { resetsAtMs: fromMs });
    if (untilMs !== null && nowMs >= untilMs)
      return deny('until', null, `sponsorship for this caller ended at ${toText(untilMs)}`);
    return null;
  },
  ({ gas: { perTransaction: limit } }, { gasBudget: used }) =>
    isWithin(limit, used)
      ? null
      : deny(
          'gas.perTransaction',
          'gasBudget',
          `a gas budget may be at most ${limit} for this caller, and it is ${used}`,
          { limit, used },
        ),
  ({ reservation: { maxDurationSecs: limit } }, { durationSecs: used }) =>
    isWithin(limit, used)
      ? null
      : deny(
          'reservation.maxDurationSecs',
          'reserveDurationSecs',
          `a reservation may last at most ${limit} s for this caller, and this one is for ${used} s`,
          { limit, used },
        ),
  ({ reservation: { needsSender } }, { durationSecs, sender }) =>
    needsSender && durationSecs !== null && sender === null
      ? deny('reservation.needsSender', 'sender', 'this caller must name the sender when it reserves gas')
      : null,
  ({ senders: { allow, deny: denied } }, { sender }) => {
    if (sender === null) return null;
    if (denied && has(denied, sender))
      return deny('senders.deny', 'sender', `transactions of ${sender} are not sponsored`);
    if (allow && !has(allow, sender))
      return deny(
        'senders.allow',
        'sender',
        `only transactions of listed senders are sponsored, and ${sender} is none`,
      );
    return null;
  },
  ({ commands: { max: limit } }, { outline }) =>
    limit === null || !outline || outline.commandCount <= limit
      ? null
      : deny('commands.max', 'txBytes', `it has ${outline.commandCount} commands; it may have at most ${limit}`, {
          limit,
          used: outline.commandCount,
        }),
  (rules, { outline }) => outline && (checkCalls(rules, outline) ?? checkCommands(rules, outline)),
];

function isWithin(limit: number | null, used: number | null): boolean {
  return limit === null || used === null || used <= limit;
}

/** Lists of senders may be long. */
const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

function has(list: readonly string[], address: string): boolean {
  let set = sets.get(list);
  if (!set) {
    set = new Set(list);
    sets.set(list, set);
  }
  return set.has(address);
}

/** Commands that create objects, whose storage the sponsor pays and their owner gets back, or that run code without a name. */
const namedOnly = new Set(['splitCoins', 'makeMoveVec', 'publish', 'upgrade']);

function checkCommands(
  { commands: { allow }, moveCalls }: Policy,
  { commands }: Pick<TransactionOutline, 'commands'>,
): Denial | null {
  if (allow === null && moveCalls === null) return null;
  const mayHave = (name: (typeof allow & object)[number]) =>
    allow?.includes(name) ?? (name === 'moveCall' || !namedOnly.has(name));
  // `moveCalls` alone decides about calls.
  const others = [...commands].filter((name) => !mayHave(name) && !(name === 'moveCall' && moveCalls !== null));
  if (others.length === 0) return null;
  const listed = allow === null ? 'none of these is listed in the caller’s policy' : `it may have ${allow.join(', ')}`;
  return deny('commands.allow', 'txBytes', `it has ${others.join(', ')}; ${listed}`);
}

/**
 * Why a transaction calls functions outside the allowlist, or `null`. A package includes its modules, a module its functions,
 * with any type arguments. Publishing and upgrading run code that no list can name.
 */
function checkCalls(
  { moveCalls: allowed, commands: { allow } }: Policy,
  { moveCalls, commands }: Pick<TransactionOutline, 'moveCalls' | 'commands'>,
): Denial | null {
  if (allowed === null) return null;
  const mayCall =
    allowed.length === 0
      ? 'this caller may call nothing'
      : `this caller may only call ${toList(allowed.map(toShownTarget), 20)}`;
  const runsUnnamed = (['publish', 'upgrade'] as const).some((name) => commands.has(name) && !allow?.includes(name));
  if (runsUnnamed) return deny('moveCalls', 'txBytes', `it publishes or upgrades a package; ${mayCall}`);
  const names = new Set(allowed);
  const others = [...moveCalls].filter((target) => {
    const [packageId = '', module = ''] = target.split('::');
    return !names.has(target) && !names.has(packageId) && !names.has(`${packageId}::${module}`);
  });
  if (others.length === 0) return null;
  return deny('moveCalls', 'txBytes', `it calls ${toList(others.map(toShownTarget), 3)}; ${mayCall}`);
}

/** Longer than any name that a network accepts. */
const maxShownLength = 340;

/** In the usual form without leading zeros: `0x2::coin::join`. */
export function toShownTarget(target: string): string {
  const short = target.replace(/^0x0+(?=[\da-f])/, '0x');
  return short.length > maxShownLength ? `${short.slice(0, maxShownLength)}…` : short;
}

export function toList(names: readonly string[], max: number): string {
  const shown = names.slice(0, max).join(', ');
  return names.length <= max ? shown : `${shown} and ${names.length - max} more`;
}

/** @param numbers left out: `null` */
export function deny(
  rule: PolicyRule,
  argument: Denial['argument'],
  reason: string,
  numbers: Partial<Pick<Denial, 'limit' | 'used' | 'resetsAtMs'>> = {},
): Denial {
  return { rule, reason, argument, limit: null, used: null, resetsAtMs: null, ...numbers };
}

/** Nothing was spent: the sentence that ends every refusal. */
export const nothingSent = 'Nothing was sent to the sponsor, and nothing is spent.';

/** The error that tells a client about a denial. @param facts further members of its extensions */
export function toDenialError(denial: Denial, facts: ErrorFacts = {}): GraphQLError {
  const { rule, argument, reason, limit, used, resetsAtMs } = denial;
  const { code, advice } = policyRules[rule];
  const resetsAt = resetsAtMs === null ? null : toText(resetsAtMs);
  const about =
    argument === null ? reason.replace(/^./, (first) => first.toUpperCase()) : `Argument "${argument}": ${reason}`;
  return gatewayError(code, `${about}. ${nothingSent}`, {
    ...(argument === null ? {} : { argument }),
    policy: { rule, limit, used, resetsAt, advice },
    ...facts,
  });
}

/** Code and rule of an error, for the audit log; `null`: no error. */
export function toAuditedReason(error: unknown): Required<Pick<SponsorshipFacts, 'code' | 'rule'>> {
  if (error === null) return { code: null, rule: null };
  if (!(error instanceof GraphQLError)) return { code: 'INTERNAL_SERVER_ERROR', rule: null };
  const { code, policy } = error.extensions as { code?: unknown; policy?: { readonly rule: string } };
  return { code: String(code), rule: policy?.rule ?? null };
}

function toText(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** The error for an account without room: at the reservation, or at the execution that holds its sender's share. */
export function toHoldDenialError(
  { rule, allowance, roomAtMs }: HoldDenied,
  gasBudget: number,
  nowMs: number,
  facts: ErrorFacts = {},
): GraphQLError {
  const { limit, held, settled, free, resetsAtMs } = allowance;
  const left = Math.max(0, free);
  const resetsAt = resetsAtMs ?? roomAtMs;
  const numbers = { limit, used: held + settled, resetsAtMs: resetsAt };
  const retryAfterMs = resetsAt === null ? 60_000 : msUntil(Math.min(roomAtMs ?? resetsAt, resetsAt), nowMs);
  const until = resetsAtMs === null ? '' : ` The day ends at ${toText(resetsAtMs)}`;
  if (rule.startsWith('gas.')) {
    const reason = `a gas budget of ${gasBudget} is more than ${whose[rule] ?? 'this caller'} has left today: ${left} of ${limit}, ${settled} spent and ${held} held by reservations and executions that have not ended.${until}`;
    const gas = { limit, held, settled, left, resetsAt: toText(resetsAtMs ?? nowMs) };
    return toDenialError(deny(rule, 'gasBudget', reason, numbers), { gas, retryAfterMs, ...facts });
  }
  const reason = rule.startsWith('transactions.')
    ? `${whose[rule] ?? 'this caller'} may have ${limit} transactions a day, and all are used or promised.${until}`
    : `${whose[rule] ?? 'this caller'} may have ${limit} open reservations, and has ${held}`;
  return toDenialError(deny(rule, null, reason, numbers), { retryAfterMs, ...facts });
}

const whose: Partial<Record<PolicyRule, string>> = {
  'gas.perVisitorPerDay': 'this visitor',
  'gas.perSenderPerDay': 'this sender',
  'gas.inAllPerDay': 'everybody with a token of this issuer together',
  'transactions.perVisitorPerDay': 'this visitor',
  'transactions.perSenderPerDay': 'this sender',
  'openReservations.perVisitor': 'this visitor',
  'openReservations.inAll': 'all visitors of this client together',
  'openReservations.ofGateway': 'this client, within the share that others leave it,',
};

/** In whole seconds, so that `Retry-After` agrees with it. */
export function msUntil(atMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((atMs - nowMs) / 1_000)) * 1_000;
}

// Holds -----------------------------------------------------------------------------------------

/** Is gas of this caller counted, so that no transaction may spend more than was reserved? */
export function countsGas(policy: CallerPolicy | null): boolean {
  if (!policy) return false;
  const { gas } = policy.rules;
  return (gas.perDay ?? gas.perVisitorPerDay ?? gas.perSenderPerDay ?? policy.total) !== null;
}

/** Does a transaction count against the shares of its sender? */
function countsSenders({ gas, transactions }: Policy): boolean {
  return gas.perSenderPerDay !== null || transactions.perSenderPerDay !== null;
}

/** Does the policy have a rule about what a transaction contains? Then a transaction that cannot be parsed is refused. */
export function readsTransactions(policy: CallerPolicy | null): boolean {
  if (!policy) return false;
  const { moveCalls, commands, senders } = policy.rules;
  return (
    (moveCalls ?? commands.allow ?? commands.max ?? senders.allow ?? senders.deny) !== null ||
    countsSenders(policy.rules)
  );
}

/** Who spends. */
export interface Spender extends Pick<Caller, 'visitor' | 'policy'> {}

/**
 * What a reservation holds of each account until it is settled. The account of a day is that of the reservation.
 * @param sender 0x and 64 digits; `null` = not known before the execution, which then holds the sender's share
 * @param maxOpen of all callers together; `null` = no bound
 */
export function toHolds(
  { visitor, policy }: Spender,
  amount: number,
  sender: string | null,
  nowMs: number,
  maxOpen: number | null,
): readonly HoldRequest[] {
  if (!policy) return [];
  const { group, rules, total } = policy;
  const { gas, transactions, openReservations: open } = rules;
  const holds: HoldRequest[] = sender === null ? [] : [...toSenderHolds(policy, amount, sender, nowMs)];
  const day = dayOf(nowMs);
  addHold(holds, 'gas.perVisitorPerDay', `gas:${day}:visitor ${visitor}`, amount, gas.perVisitorPerDay);
  addHold(holds, 'gas.perDay', `gas:${day}:${group}`, amount, gas.perDay);
  if (total) addHold(holds, 'gas.inAllPerDay', `gas:${day}:all ${total.key}`, amount, total.perDay);
  addHold(holds, 'transactions.perVisitorPerDay', `count:${day}:visitor ${visitor}`, 1, transactions.perVisitorPerDay);
  addHold(holds, 'openReservations.perVisitor', `open:visitor ${visitor}`, 1, open.perVisitor);
  const inAll = maxOpen === null ? open.inAll : Math.min(open.inAll ?? maxOpen, maxOpen);
  const shareOf = maxOpen === null ? null : { account: 'open', limit: maxOpen };
  addHold(holds, 'openReservations.inAll', `open:${group}`, 1, inAll, shareOf);
  addHold(holds, 'openReservations.ofGateway', 'open', 1, maxOpen);
  return holds;
}

/** @param limit `null`: nothing is held */
function addHold(
  holds: HoldRequest[],
  rule: PolicyRule,
  account: string,
  amount: number,
  limit: number | null,
  shareOf: HoldRequest['shareOf'] = null,
): void {
  if (limit !== null) holds.push({ rule, account, amount, limit, shareOf });
}

/** Whose spending is recorded, where the policy counts something by day; `null`: nobody's. */
export function toSpending({ visitor, policy }: Spender, amount: number): Spending | null {
  if (!policy) return null;
  const { group, rules } = policy;
  const isCounted = countsGas(policy) || countsSenders(rules) || rules.transactions.perVisitorPerDay !== null;
  return isCounted ? { client: group, visitor, amount } : null;
}

/** The part of a sender: held by the reservation if it names the sender, else by the execution. */
export function toSenderHolds(
  policy: CallerPolicy | null,
  amount: number,
  sender: string,
  nowMs: number,
): readonly HoldRequest[] {
  if (!policy || !countsSenders(policy.rules)) return [];
  const { group, rules } = policy;
  const name = `${dayOf(nowMs)}:sender ${group} ${sender}`;
  const holds: HoldRequest[] = [];
  addHold(holds, 'gas.perSenderPerDay', `gas:${name}`, amount, rules.gas.perSenderPerDay);
  addHold(holds, 'transactions.perSenderPerDay', `count:${name}`, 1, rules.transactions.perSenderPerDay);
  return holds;
}

/** The accounts of a day that bound the caller's gas, the narrowest first. @param sender left out: without that of a sender */
export function toGasBounds(
  { visitor, policy }: Spender,
  sender: string | null,
  nowMs: number,
): readonly HoldRequest[] {
  return toHolds({ visitor, policy }, 0, sender, nowMs, null).filter(({ account }) => account.startsWith('gas:'));
}
