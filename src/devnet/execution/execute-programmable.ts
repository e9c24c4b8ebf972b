import { toDigest } from '../../transactions/digest.ts';
import type { ProgrammableTransaction } from '../../transactions/transaction-bcs.ts';
import type { CommandReport, GasSummary, ObjectRecord, TransactionRecord } from '../state/records.ts';
import type { AnyTransactionData } from '../transactions/system-transaction.ts';
import { checkCommands } from './check-commands.ts';
import { checkGasBounds, resolveGasPayment, totalBalance } from './check-gas.ts';
import type { CommandContext } from './command-context.ts';
import { CommandValues } from './command-values.ts';
import { computationUnits, netGas, storageCostOf, toGasSummary } from './gas-schedule.ts';
import type { LedgerView } from './ledger-view.ts';
import type { EventDraft } from './move-call.ts';
import { createCoin, toCreatedObjectId, toObjectRecord, withBalance } from './move-object.ts';
import { ExecutionFailure, inputRefusal, TransactionRefusal } from './refusal.ts';
import { checkDistinct, type ResolvedInput, resolveInputs } from './resolve-inputs.ts';
import { runCommands } from './run-commands.ts';
import { TemporaryStore } from './temporary-store.ts';
import { toTransactionRecord } from './transaction-record.ts';

export interface ExecutionRequest {
  readonly data: AnyTransactionData;
  readonly bytes: Uint8Array;
  readonly digest: string;
  readonly signatures: () => readonly string[];
  /** A dry run, of which nothing is committed. Without a gas payment a simulated coin pays. */
  readonly isDryRun?: boolean;
  /** Dry runs only: inputs are taken whoever owns them, at any version, and the gas data is not checked. */
  readonly skipChecks?: boolean;
}

/**
 * Runs a user's transaction against the view without changing anything. The caller checks signatures. Throws
 * `TransactionRefusal` when a validator would not run it.
 */
export function executeProgrammable(request: ExecutionRequest, view: LedgerView): TransactionRecord {
  const { data, skipChecks = false } = request;
  const transaction = data.kind;
  if (transaction.kind !== 'PROGRAMMABLE_TX') {
    throw new TransactionRefusal('Transaction is not supported: only validators send system transactions');
  }
  if (data.expirationEpoch !== null && data.expirationEpoch < view.epoch)
    throw new TransactionRefusal('Transaction Expired');
  checkCommands(transaction);
  checkDistinct(data);
  if (!skipChecks) checkGasBounds(data.gas, view.referenceGasPrice);
  const inputs = resolveInputs(transaction, data.sender, view, skipChecks);
  const gasCoins = takeGasCoins(request, view);
  const objects = [...inputs.flatMap((input) => (input.kind === 'object' ? [input.record] : [])), ...gasCoins];
  const lamportVersion = Math.max(...objects.map((object) => object.version)) + 1;
  const run = { transaction, request, view, inputs, gasCoins, lamportVersion };

  const { reports, ...attempt } = attemptRun(run);
  const record = toTransactionRecord({ ...request, ...attempt, inputs: objects, lamportVersion }, view);
  return request.isDryRun ? { ...record, commandReports: reports } : record;
}

interface Run {
  readonly transaction: ProgrammableTransaction;
  readonly request: ExecutionRequest;
  readonly view: LedgerView;
  readonly inputs: readonly ResolvedInput[];
  readonly gasCoins: readonly ObjectRecord[];
  readonly lamportVersion: number;
}

interface Attempt extends Settlement {
  readonly status: TransactionRecord['status'];
  readonly events: readonly EventDraft[];
  readonly reports: readonly CommandReport[];
}

interface Settlement {
  readonly gasUsed: GasSummary;
  readonly changes: TransactionRecord['changes'];
  readonly gasCoinId: string;
}

function attemptRun(run: Run): Attempt {
  const { transaction, request, view, inputs } = run;
  try {
    const { store, gasCoinId } = openStore(run);
    const events: EventDraft[] = [];
    const reports: CommandReport[] = [];
    let created = 0;
    const context: CommandContext = {
      store,
      view,
      events,
      values: new CommandValues(inputs, gasCoinId),
      sender: request.data.sender,
      seenByCalls: new Set(),
      nextObjectId: () => toCreatedObjectId(request.digest, created++),
    };
    const report = (made: CommandReport) => void reports.push(made);
    runCommands(transaction.commands, context, request.isDryRun ? report : undefined);
    return { ...settle(run, store, gasCoinId), status: { ok: true }, events, reports };
  } catch (error) {
    if (!(error instanceof ExecutionFailure)) throw error;
    const { store, gasCoinId } = openStore(run);
    return {
      ...settleFailure(run, store, gasCoinId),
      status: { ok: false, error: error.message },
      events: [],
      reports: [],
    };
  }
}

/** The state commands start from: all payment coins merged into the first, and the budget set aside. */
function openStore({ inputs, gasCoins, request }: Run): { store: TemporaryStore; gasCoinId: string } {
  const [first, ...others] = gasCoins;
  if (!first) throw inputRefusal('Transaction gas payment missing');
  const mutable = inputs.flatMap((input) =>
    input.kind === 'object' && (input.access === 'owned' || input.access === 'shared-mutable') ? [input.record] : [],
  );
  const store = new TemporaryStore([...mutable, ...gasCoins]);
  for (const coin of others) store.delete(coin.objectId);
  store.write(withBalance(first, totalBalance(gasCoins) - request.data.gas.budget));
  return { store, gasCoinId: first.objectId };
}

function settle(run: Run, store: TemporaryStore, gasCoinId: string): Settlement {
  const computation = toComputation(run);
  const storageCost = store.outputs().reduce((total, object) => total + storageCostOf(object), 0n);
  if (computation.cost + storageCost > run.request.data.gas.budget) throw new ExecutionFailure('InsufficientGas');
  const gasUsed = toGasSummary(computation.cost, computation.burned, storageCost, store.storedBefore());
  return close(run, store, gasCoinId, gasUsed, false);
}

/** A failed run writes its inputs back unchanged. Where the budget does not cover even that, all of it is charged. */
function settleFailure(run: Run, store: TemporaryStore, gasCoinId: string): Settlement {
  try {
    return settle(run, store, gasCoinId);
  } catch (error) {
    if (!(error instanceof ExecutionFailure)) throw error;
    const { budget } = run.request.data.gas;
    return close(run, store, gasCoinId, toGasSummary(budget, budget, 0n, 0n), true);
  }
}

function close(
  run: Run,
  store: TemporaryStore,
  gasCoinId: string,
  gasUsed: GasSummary,
  keepRebates: boolean,
): Settlement {
  const coin = store.read(gasCoinId);
  if (!coin) throw new TypeError('the gas coin cannot be consumed by a command');
  store.write(withBalance(coin, (coin.balance ?? 0n) + run.request.data.gas.budget - netGas(gasUsed)));
  return { gasUsed, gasCoinId, changes: store.toChanges(run.lamportVersion, run.request.digest, keepRebates) };
}

function toComputation({ transaction, request, view }: Run): { cost: bigint; burned: bigint } {
  const moveCalls = transaction.commands.filter((command) => command.kind === 'moveCall').length;
  const units = computationUnits(transaction.commands.length, moveCalls);
  const price = request.data.gas.price > view.referenceGasPrice ? request.data.gas.price : view.referenceGasPrice;
  return { cost: units * price, burned: units * view.referenceGasPrice };
}

/** The balance beyond the budget of the simulated coin that pays for a dry run. */
const dryRunBalance = 1_000_000_000_000_000n;
const noTransaction = toDigest(new Uint8Array(32));

function takeGasCoins({ data, digest, isDryRun, skipChecks }: ExecutionRequest, view: LedgerView): ObjectRecord[] {
  const { payment, owner, budget } = data.gas;
  if (!isDryRun || payment.length > 0) {
    const coins = resolveGasPayment(data.gas, view, skipChecks);
    if (!skipChecks || totalBalance(coins) >= budget) return coins;
  }
  const objectId = toCreatedObjectId(digest, 0xffff_ffff);
  const coin = createCoin(objectId, view.nativeCoinType, { kind: 'address', address: owner }, budget + dryRunBalance);
  return [toObjectRecord(coin, 1, noTransaction)];
}
