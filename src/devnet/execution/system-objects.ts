import { bcs } from '@mysten/bcs';
import { ledgerBcs } from '../../transactions/ledger-bcs.ts';
import { toWellKnownAddress } from '../transactions/address.ts';
import { encodeBcs } from '../transactions/encode-bcs.ts';
import type { EventDraft } from './move-call.ts';
import { type ObjectDraft, toObjectBcs } from './move-object.ts';

export const systemStateId = toWellKnownAddress(5);
export const clockObjectId = toWellKnownAddress(6);
const systemPackage = toWellKnownAddress(3);
const protocolVersion = 1;
const shared = { kind: 'shared', initialSharedVersion: 1 } as const;

const { u64 } = ledgerBcs;
const clock = bcs.struct('Clock', { id: ledgerBcs.address, timestampMs: u64 });
const systemState = bcs.struct('SystemState', {
  epoch: u64,
  protocolVersion: u64,
  referenceGasPrice: u64,
  epochStartTimestampMs: u64,
});

/** The shared clock that Move code reads. Every consensus commit sets it. */
export function createClockObject(timestampMs: number): ObjectDraft {
  return {
    objectId: clockObjectId,
    type: `${toWellKnownAddress(2)}::clock::Clock`,
    owner: shared,
    json: { id: clockObjectId, timestamp_ms: timestampMs.toString() },
    bcs: encodeBcs(clock, { id: clockObjectId, timestampMs }),
    balance: null,
  };
}

export interface SystemState {
  readonly epoch: number;
  readonly epochStartTimestampMs: number;
  readonly referenceGasPrice: bigint;
}

/** The shared system state. Every end of an epoch rewrites it. */
export function createSystemState(state: SystemState): ObjectDraft {
  return {
    objectId: systemStateId,
    type: `${systemPackage}::system_state::SystemState`,
    owner: shared,
    json: { id: systemStateId, ...toStateFields(state) },
    bcs: toObjectBcs(systemStateId, toStateBytes(state)),
    balance: null,
  };
}

/** The event that the end-of-epoch transaction emits. */
export function createEpochEvent(state: SystemState): EventDraft {
  return {
    packageId: systemPackage,
    transactionModule: 'system_state',
    type: `${systemPackage}::system_state::SystemEpochInfoEvent`,
    json: toStateFields(state),
    bcs: toStateBytes(state),
  };
}

function toStateBytes(state: SystemState): Uint8Array {
  return encodeBcs(systemState, { ...state, protocolVersion });
}

function toStateFields(state: SystemState): Record<string, string> {
  return {
    epoch: state.epoch.toString(),
    protocol_version: String(protocolVersion),
    reference_gas_price: state.referenceGasPrice.toString(),
    epoch_start_timestamp_ms: state.epochStartTimestampMs.toString(),
  };
}
