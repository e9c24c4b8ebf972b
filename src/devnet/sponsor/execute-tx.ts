import { base64 } from '@scure/base';
import { takesGasCoin } from '../../transactions/outline-transaction.ts';
import type { ObjectRef } from '../../transactions/transaction-bcs.ts';
import { netGas } from '../execution/gas-schedule.ts';
import type { Ledger } from '../state/ledger-state.ts';
import type { Keypair } from '../transactions/keypair.ts';
import { parseTransactionData } from '../transactions/parse-transaction.ts';
import { signTransaction } from '../transactions/signature.ts';
import type { AnyTransactionData } from '../transactions/system-transaction.ts';
import type { AccessController } from './access-controller.ts';
import type { DailyCap } from './daily-cap.ts';
import { toEffectsJson } from './effects-json.ts';
import type { GasPool, Reservation } from './gas-pool.ts';
import type { ExecuteTxBody } from './request-body.ts';
import { jsonAnswer, type SponsorAnswer } from './sponsor-answer.ts';

export interface ExecuteTxContext {
  readonly ledger: Pick<Ledger, 'execute' | 'closeCheckpoint' | 'hasPending'>;
  readonly pool: GasPool;
  readonly cap: DailyCap;
  readonly access: AccessController;
  readonly sponsor: Keypair;
}

/**
 * Answers an authorised request. Envelope: `{ effects, error }`, one of them null.
 *
 * Order as in the service: access, sponsor, shape of the transaction, reservation, and only then is the reservation taken
 * and the transaction signed and sent. What fails after that has consumed the reservation; its coins return to the pool.
 *
 * Both request types answer after execution. `waitForLocalExecution` also closes a checkpoint first, so that a read that
 * follows the answer sees the transaction; after `waitForEffectsCert` it appears with the next checkpoint of the clock.
 */
export function executeTx(body: ExecuteTxBody, context: ExecuteTxContext): SponsorAnswer {
  const decoded = decode(body);
  if (!decoded) return refuseExecute(400, 'Invalid bcs bytes for TransactionData');
  const { data, bytes } = decoded;
  const denied = context.access.check(data.sender);
  if (denied) return refuseExecute(denied.status, denied.error);
  if (data.gas.owner !== context.sponsor.address) {
    return refuseExecute(500, `Sponsor ${data.gas.owner} is not registered`);
  }
  if (data.kind.kind === 'PROGRAMMABLE_TX' && takesGasCoin(data.kind, data.gas)) {
    return refuseExecute(500, 'Gas coin can only be used to pay gas');
  }
  const held = context.pool.find(body.reservationId);
  if (!held) return refuseExecute(500, goneText(body.reservationId));
  const mismatch = checkAgainst(held, data);
  // The service publishes no text for this. It is the client's mistake, and answered as one.
  if (mismatch !== null) return refuseExecute(400, mismatch);

  const reservation = context.pool.take(body.reservationId);
  if (!reservation) return refuseExecute(500, goneText(body.reservationId));
  const signatures = [body.userSig, signTransaction(context.sponsor, bytes)];
  const outcome = context.ledger.execute(bytes, signatures);
  context.pool.giveBack(reservation.coins);
  if (outcome.kind === 'refused') return refuseExecute(500, toNodeError(outcome.message));
  context.cap.add(netGas(outcome.transaction.gasUsed));
  if (body.requestType === 'waitForLocalExecution' && context.ledger.hasPending()) context.ledger.closeCheckpoint();
  return jsonAnswer(200, { effects: toEffectsJson(outcome.transaction), error: null });
}

export function refuseExecute(status: number, error: string): SponsorAnswer {
  return jsonAnswer(status, { effects: null, error });
}

/** The service's store cannot tell expired, used and unknown reservations apart: this is its error for all. */
function goneText(reservationId: bigint): string {
  return `An error was signalled by the server - ResponseError: Reservation no longer exist: ${reservationId}`;
}

/** The service's wording of a refusal by the node. */
function toNodeError(message: string): string {
  return `RPC call failed: ErrorObject { code: ServerError(-32002), message: ${JSON.stringify(message)}, data: None }`;
}

function decode(body: ExecuteTxBody): { data: AnyTransactionData; bytes: Uint8Array } | null {
  try {
    const bytes = base64.decode(body.txBytes);
    if (!isSignatureShaped(base64.decode(body.userSig))) return null;
    return { data: parseTransactionData(bytes), bytes };
  } catch {
    return null;
  }
}

/** Total length of a signature by its scheme flag: Ed25519, Secp256k1, Secp256r1. */
const signatureLengths: Readonly<Record<number, number>> = { 0: 97, 1: 98, 2: 98 };
/**
 * Multisig, zkLogin and passkey signatures have no fixed length. They are well formed, but the devnet's ledger
 * accepts none of them.
 */
const flexibleSchemes = [3, 5, 6];

function isSignatureShaped(bytes: Uint8Array): boolean {
  const flag = bytes[0] ?? -1;
  return flexibleSchemes.includes(flag) || signatureLengths[flag] === bytes.length;
}

function checkAgainst(reservation: Reservation, { gas }: AnyTransactionData): string | null {
  const key = ({ objectId, version, digest }: ObjectRef) => `${objectId} ${version} ${digest}`;
  const reserved = reservation.coins.map(key).sort();
  const paying = gas.payment.map(key).sort();
  if (reserved.join() !== paying.join()) {
    return `Gas coins of the transaction are not those of reservation ${reservation.id}`;
  }
  if (gas.budget > reservation.gasBudget) {
    return `Gas budget ${gas.budget} of the transaction is over the reserved ${reservation.gasBudget}`;
  }
  return null;
}
