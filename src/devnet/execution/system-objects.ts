import { toWellKnownAddress } from '../transactions/address.ts';
import { BcsWriter } from '../transactions/bcs-writer.ts';
import type { EventDraft } from './move-call.ts';
import type { ObjectDraft } from './move-object.ts';

export const systemStateId = toWellKnownAddress(5);
export const clockObjectId = toWellKnownAddress(6);
const systemPackage = toWellKnownAddress(3);
const shared = { kind: 'shared', initialSharedVersion: 1 } as const;

/** The shared clock Move code reads the time from; every consensus commit sets it. */
export function createClockObject(timestampMs: number): ObjectDraft {
  return {
    objectId: clockObjectId,
    type: `${toWellKnownAddress(2)}::clock::Clock`,
    owner: shared,
    json: { id: clockObjectId, timestamp_ms: timestampMs.toString() },
    bcs: new BcsWriter(40).address(clockObjectId).u64(timestampMs).toBytes(),
    balance: null,
  };
}

export interface SystemState {
  readonly epoch: number;
  readonly epochStartTimestampMs: number;
  readonly referenceGasPrice: bigint;
}

/** The shared system state; every end of epoch rewrites it. */
export function createSystemState(state: SystemState): ObjectDraft {
  return {
    objectId: systemStateId,
    type: `${systemPackage}::system_state::SystemState`,
    owner: shared,
    json: { id: systemStateId, ...toStateFields(state) },
    bcs: new BcsWriter(64)
      .address(systemStateId)
      .u64(state.epoch)
      .u64(1)
      .u64(state.referenceGasPrice)
      .u64(state.epochStartTimestampMs)
      .toBytes(),
    balance: null,
  };
}

/** What the end-of-epoch transaction emits. */
export function createEpochEvent(state: SystemState): EventDraft {
  return {
    packageId: systemPackage,
    transactionModule: 'system_state',
    type: `${systemPackage}::system_state::SystemEpochInfoEvent`,
    json: toStateFields(state),
    bcs: new BcsWriter(32)
      .u64(state.epoch)
      .u64(1)
      .u64(state.referenceGasPrice)
      .u64(state.epochStartTimestampMs)
      .toBytes(),
  };
}

function toStateFields(state: SystemState): Record<string, string> {
  return {
    epoch: state.epoch.toString(),
    protocol_version: '1',
    reference_gas_price: state.referenceGasPrice.toString(),
    epoch_start_timestamp_ms: state.epochStartTimestampMs.toString(),
  };
}
