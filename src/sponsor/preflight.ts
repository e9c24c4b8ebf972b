import type { GraphQLError } from 'graphql';
import type { Config } from '../config/config.ts';
import { noPolicy } from '../config/policy.ts';
import { type ErrorFacts, gatewayError } from '../errors/gateway-error.ts';
import type { SimulatedAccount, Simulation } from '../ledger/simulate-transaction.ts';
import { toFullAddress } from '../transactions/ledger-bcs.ts';
import type { OutlinedTransaction, TransactionOutline } from '../transactions/outline-transaction.ts';
import type { CallerPolicy } from '../upstream/operation-context.ts';
import { hashCoins } from './leases.ts';
import {
  checkPolicy,
  countsGas,
  type Denial,
  deny,
  nothingSent,
  type PolicySubject,
  readsTransactions,
  toDenialError,
  toList,
  toShownTarget,
} from './sponsor-policy.ts';

export interface ReservationTerms {
  /** The sponsor's address in any spelling. */
  readonly sponsorAddress: string;
  /** Hash of the reserved coins, from `hashCoins`. */
  readonly coinsHash: string;
  /** Reserved gas budget in the smallest unit. */
  readonly gasBudget: number;
}

export interface TransactionRules {
  /** `null`: the reservation is unknown here, and its terms are not checked. */
  readonly terms: ReservationTerms | null;
  readonly policy: CallerPolicy | null;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** Why `enforce` rejects a transaction. */
export interface Finding {
  readonly argument: 'txBytes' | 'userSig' | 'reservationId' | 'transactionKind';
  /** The rule of the caller's policy; `null`: the transaction does not fit its reservation. */
  readonly denial: Denial | null;
  readonly reason: string;
  /**
   * What the finding concerns. `policy`: a rule of the caller's policy. `sponsor`: the transaction could take more from the sponsor than gas. `gas`: it could spend gas
   * that the caller's budget would not count. `all`: it cannot be parsed, so no rule could be checked.
   */
  readonly of: 'policy' | 'sponsor' | 'gas' | 'rest' | 'all';
}

function toFinding(of: Finding['of'], reason: string, argument: Finding['argument'] = 'txBytes'): Finding {
  return { argument, denial: null, reason, of };
}

/**
 * Checks a transaction against its reservation and its caller's policy. Pure; never throws. The ledger checks the rest,
 * such as whether inputs exist and whether the transaction has expired.
 * @param proof the ledger's simulation, which may prove a transaction that cannot be parsed
 * @returns `null` if it passes
 */
export function checkTransaction(
  transaction: OutlinedTransaction,
  rules: TransactionRules,
  proof: Simulation | null = null,
): Finding | null {
  if (transaction.kind === 'known') return checkOutline(transaction.outline, rules);
  // The gateway may not know which network it is.
  const taking =
    transaction.kind === 'unknown' && transaction.extended && toTakingFault(transaction.extended, rules.terms);
  if (taking) return toFinding('sponsor', taking);
  const unverified = (why: string): Finding => {
    const reason = `it cannot be verified, because it is no transaction of a form that this gateway knows: ${transaction.reason}${why}`;
    return toFinding('all', reason);
  };
  if (proof === null) return unverified('');
  const { moveCalls, commands } = rules.policy?.rules ?? noPolicy;
  if (moveCalls ?? commands.allow ?? commands.max) return unverified('; and a simulation does not tell its calls');
  const account = proof.kind === 'succeeds' ? proof.account : null;
  if (account === null) return unverified('; and the ledger’s simulation does not tell who would pay');
  const loss = toLoss(account);
  if (loss === 'unknown') return unverified('; and the ledger’s simulation does not tell what the sponsor would pay');
  if (loss !== null) return toFinding('sponsor', loss);
  return checkOutline(toOutline(account), rules);
}

/**
 * Checks the kind of a transaction before anything is reserved for it: what holds under every policy.
 * @param sponsorAddress `null` until the sponsor has told it
 */
export function checkKind(
  transaction: OutlinedTransaction,
  sponsorAddress: string | null,
  policy: CallerPolicy | null,
  nowMs: number,
): Finding | null {
  const argument = 'transactionKind';
  if (transaction.kind !== 'known') {
    const reason = `it cannot be verified, because it is no kind of transaction that this gateway knows: ${transaction.reason}`;
    return toFinding('all', reason, argument);
  }
  const { outline } = transaction;
  const taking = toKindFault(outline, sponsorAddress === null ? [] : [toFullAddress(sponsorAddress)]);
  if (taking !== null) return toFinding('sponsor', taking, argument);
  const denial = checkPolicy(policy, toSubject(outline, nowMs));
  return denial && { argument, denial, reason: denial.reason, of: 'policy' };
}

function toSubject(outline: TransactionOutline, nowMs: number): PolicySubject {
  const { sender, gas } = outline;
  return { nowMs, gasBudget: Number(gas.budget), durationSecs: null, sender, outline };
}

/**
 * What the sponsor would pay besides gas; `null`: nothing. Ledgers that report no balance changes of a simulation leave out the
 * gas too.
 */
function toLoss({ gasOwner, gasUsed, changes }: SimulatedAccount): string | 'unknown' | null {
  const sponsor = toFullAddress(gasOwner);
  const own = changes.filter(({ address }) => toFullAddress(address) === sponsor);
  const other = own.find(({ coinType, amount }) => !isGasCoin(coinType) && amount < 0n);
  if (other) return `the sponsor would pay ${-other.amount} of ${toShownTarget(other.coinType)}; it may pay only gas`;
  const [gas, ...more] = own.filter(({ coinType }) => isGasCoin(coinType));
  const isUnchanged = gasUsed === 0n && changes.length > 0;
  if (more.length > 0 || !(gas || isUnchanged)) return 'unknown';
  const paid = -(gas?.amount ?? 0n);
  return paid > gasUsed ? `the sponsor would pay ${paid}, of which ${gasUsed} is gas; it may pay only gas` : null;
}

/** On every network, the gas coin's type is the only coin of the framework package. */
function isGasCoin(coinType: string): boolean {
  return /^0x0*2::/.test(coinType);
}

function toOutline(account: SimulatedAccount): TransactionOutline {
  const payment = account.gasPayment.map((coin) => ({ ...coin, objectId: toFullAddress(coin.objectId) }));
  const owner = toFullAddress(account.gasOwner);
  return {
    sender: toFullAddress(account.sender),
    gas: { payment, owner, price: account.gasPrice, budget: account.gasBudget },
    commands: new Set(),
    commandCount: 0,
    moveCalls: new Set(),
    takesGasCoin: false,
    funders: new Set(),
  };
}

function checkOutline(outline: TransactionOutline, { terms, policy, nowMs }: TransactionRules): Finding | null {
  // Ordered by the settings of `SPONSOR_PREFLIGHT` under which they count: all of them first.
  const denial = checkPolicy(policy, toSubject(outline, nowMs));
  const taking = denial?.rule === 'moveCalls' ? null : toTakingFault(outline, terms);
  if (taking) return toFinding('sponsor', taking);
  if (denial) return { argument: 'txBytes', denial, reason: denial.reason, of: 'policy' };
  const excess = terms && toBudgetFault(outline, terms);
  if (excess) return toFinding('gas', excess);
  const reason = terms && toTermsFault(outline, terms);
  return reason === null ? null : toFinding('rest', reason);
}

function toBudgetFault({ gas }: TransactionOutline, { gasBudget }: ReservationTerms): string | null {
  if (gas.budget <= gasBudget) return null;
  return `the gas budget is ${gas.budget}; it may be at most ${gasBudget}, for which gas was reserved`;
}

/** Why a transaction could take what belongs to the sponsor besides gas, whatever was reserved. */
function toTakingFault(outline: TransactionOutline, terms: ReservationTerms | null): string | null {
  const { sender, gas } = outline;
  if (sender === gas.owner)
    return `sender and gas owner are both ${sender}; a sponsored transaction has the sponsor as gas owner and another sender`;
  const taking = toKindFault(outline, terms ? [toFullAddress(terms.sponsorAddress)] : []);
  if (taking !== null || gas.payment.length > 0) return taking;
  return `the gas payment is empty, so that the balance of ${gas.owner} would pay; it must be the gasCoins of the reservation`;
}

/** @param known the sponsor's address, if it is known besides as gas owner */
function toKindFault({ sender, gas, takesGasCoin, funders }: TransactionOutline, known: readonly string[]) {
  const sponsors = [gas.owner, ...known];
  if (sponsors.includes(sender)) return `the sender is the sponsor, ${sender}; it must be another address`;
  if (takesGasCoin) return 'it uses a gas coin as an argument or an input; gas coins may only pay gas';
  const funder = sponsors.find((sponsor) => funders.has(sponsor));
  if (funder === undefined) return null;
  return `it withdraws funds from the balance of ${funder}, which pays its gas; it may withdraw those of its sender, and of other addresses that allow it`;
}

function toTermsFault({ gas }: TransactionOutline, terms: ReservationTerms): string | null {
  const sponsor = toFullAddress(terms.sponsorAddress);
  if (gas.owner !== sponsor)
    return `the gas owner is ${gas.owner}; it must be the sponsor of the reservation, ${sponsor}`;
  const coins = gas.payment.map((coin) => ({ ...coin, version: String(coin.version) }));
  if (hashCoins(coins) === terms.coinsHash) return null;
  const names = coins.map(({ objectId, version }) => `${objectId} at version ${version}`);
  return `the gas payment is ${toList(names, 3)}; it must be exactly the gasCoins of the reservation, each with its version and digest`;
}

/**
 * `enforce` rejects a transaction that fails a check or cannot be parsed. `warn` sends it and logs the reason. `off` sends it.
 * In every mode, a transaction may take nothing but gas from the sponsor, and the caller's policy applies.
 */
export type PreflightPolicy = Pick<Config['sponsorship'], 'preflight' | 'unreadable' | 'dryRun'>;

export interface PreflightSubject extends TransactionRules {
  readonly transaction: OutlinedTransaction;
  /** What the ledger says that the transaction would do; `null` if it was not simulated. */
  readonly simulation: Simulation | null;
  readonly userSig: Uint8Array;
  readonly facts: { readonly digest: string; readonly reservationId: string };
  /** Called with the reason if a transaction is sent that `enforce` would reject. */
  readonly doubt: (reason: string) => void;
}

/**
 * Checks a transaction before it is sent: why it must not be sent, or `null`. A rejection spends nothing.
 * @returns the code of the rule for a denial by the caller's policy; `UPSTREAM_UNAVAILABLE` if a required simulation is missing;
 * `BAD_USER_INPUT` for all other reasons
 */
export function preflight(policy: PreflightPolicy, subject: PreflightSubject): GraphQLError | null {
  const { transaction, simulation, facts } = subject;
  const proof = policy.unreadable === 'dry-run' ? simulation : null;
  const found =
    checkTransaction(transaction, subject, proof) ??
    toSignatureFinding(subject.userSig) ??
    (policy.preflight === 'enforce' ? toUnknownTerms(subject) : null);
  if (found !== null && (policy.preflight === 'enforce' || isBinding(found, subject))) return toRefusal(found, facts);
  const failure = policy.dryRun === 'off' ? null : toSimulationError(policy.dryRun, simulation, 'txBytes', facts);
  if (failure === null && found !== null && policy.preflight === 'warn')
    subject.doubt(`${found.argument}: ${found.reason}`);
  return failure;
}

/** The error for a transaction that is not sent. */
export function toRefusal({ argument, denial, reason }: Omit<Finding, 'of'>, facts: ErrorFacts = {}): GraphQLError {
  if (denial) return toDenialError({ ...denial, argument }, facts);
  return gatewayError('BAD_USER_INPUT', `Argument "${argument}": ${reason}. ${nothingSent}`, { argument, ...facts });
}

/** Why a simulation keeps a transaction from being sent, or `null`. */
export function toSimulationError(
  dryRun: 'failing' | 'strict',
  simulation: Simulation | null,
  argument: Finding['argument'],
  facts: ErrorFacts = {},
): GraphQLError | null {
  if (simulation === null || simulation.kind === 'succeeds') return null;
  const reason = simulation.reason.replace(/\.$/, '') || 'it gives no reason';
  if (simulation.kind !== 'unavailable') {
    const failing = `the transaction would fail, as the ledger's simulation says: ${reason}`;
    return toRefusal({ argument, denial: null, reason: failing }, { upstream: 'ledger', ...facts });
  }
  if (dryRun === 'failing') return null;
  const message = `The ledger could not simulate the transaction: ${reason}. ${nothingSent}`;
  return gatewayError('UPSTREAM_UNAVAILABLE', message, { upstream: 'ledger', ...facts });
}

/** Does the caller's policy bound what only a simulation tells? */
export function boundsStorage(policy: CallerPolicy | null): boolean {
  return (policy?.rules.gas.storage ?? null) !== null;
}

/** Why the storage that a transaction pays for keeps it from being sent, or `null`: its owner would get the rebate. */
export function toStorageDenial(
  policy: CallerPolicy | null,
  simulation: Simulation | null,
  argument: Finding['argument'],
  facts: ErrorFacts = {},
): GraphQLError | null {
  const limit = policy?.rules.gas.storage ?? null;
  if (limit === null) return null;
  const costs = simulation !== null && 'costs' in simulation ? simulation.costs : null;
  if (costs === null) {
    const message = `The ledger's simulation did not tell the storage that the transaction pays for, which is bounded for this caller. ${nothingSent}`;
    return gatewayError('UPSTREAM_UNAVAILABLE', message, { upstream: 'ledger', ...facts });
  }
  const used = Number(costs.storage - costs.rebate);
  if (used <= limit) return null;
  const reason = `it pays ${used} for storage, the rebate subtracted; this caller may pay at most ${limit}`;
  return toDenialError(deny('gas.storage', argument, reason, { limit, used }), facts);
}

/** Does the finding apply under every policy? */
function isBinding({ of }: Finding, { policy }: PreflightSubject): boolean {
  if (of === 'policy' || of === 'sponsor') return true;
  if (of === 'gas') return countsGas(policy);
  return of === 'all' && (countsGas(policy) || readsTransactions(policy));
}

/** Schemes whose signatures have one length: flag, signature, public key. */
const simpleSchemes = [
  { name: 'Ed25519', bytes: 97 },
  { name: 'Secp256k1', bytes: 98 },
  { name: 'Secp256r1', bytes: 98 },
];

/**
 * Rejects bytes that cannot be a signature, which would spend the reservation for nothing. Other schemes (multisig, zkLogin,
 * passkeys) have no fixed length and pass. The ledger checks whose signature it is, since addresses may be derived and
 * delegated.
 */
function toSignatureFinding(userSig: Uint8Array): Finding | null {
  const scheme = simpleSchemes[userSig[0] ?? 0];
  if (!scheme || scheme.bytes === userSig.length) return null;
  const reason = `it is no signature: one of ${scheme.name} has ${scheme.bytes} bytes, its flag and its public key included, and this has ${userSig.length}`;
  return toFinding('rest', reason, 'userSig');
}

/** Not under `warn`: callers that reserve elsewhere and execute here would fill the log. */
function toUnknownTerms({ terms }: TransactionRules): Finding | null {
  if (terms !== null) return null;
  const reason = 'the transaction cannot be verified, because nothing is known here of its reservation';
  return toFinding('rest', reason, 'reservationId');
}
