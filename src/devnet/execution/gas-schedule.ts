import type { GasSummary } from '../state/records.ts';

/**
 * What a transaction costs, in the smallest unit of the native coin:
 *
 * - computation = gas price × (1000 + 10 per command + 100 per Move call) units;
 * - storage     = 7600 × (90 + bytes of Move content) per object written, so a coin of 40 bytes costs 988 000;
 * - rebate      = 99 % of what storing the objects it replaces or deletes had cost; the other 1 % is kept.
 *
 * The gas coin pays computation + storage − rebate.
 */
export const gasSchedule = {
  baseUnits: 1000n,
  unitsPerCommand: 10n,
  unitsPerMoveCall: 100n,
  storageUnitPrice: 7600n,
  objectOverheadBytes: 90n,
  rebatePercent: 99n,
  /** Budgets above this are refused. */
  maxBudget: 50_000_000_000n,
  maxGasPrice: 100_000n,
  maxGasPaymentObjects: 256,
  maxCommands: 1024,
  maxInputs: 2048,
} as const;

export const zeroGas: GasSummary = {
  computationCost: 0n,
  computationCostBurned: 0n,
  storageCost: 0n,
  storageRebate: 0n,
  nonRefundableStorageFee: 0n,
};

export function minGasBudget(gasPrice: bigint): bigint {
  return gasSchedule.baseUnits * gasPrice;
}

export function computationUnits(commands: number, moveCalls: number): bigint {
  const { baseUnits, unitsPerCommand, unitsPerMoveCall } = gasSchedule;
  return baseUnits + unitsPerCommand * BigInt(commands) + unitsPerMoveCall * BigInt(moveCalls);
}

export function storageCostOf(object: { readonly bcs: Uint8Array }): bigint {
  return gasSchedule.storageUnitPrice * (gasSchedule.objectOverheadBytes + BigInt(object.bcs.length));
}

/** @param storedBefore gas that was paid to store the objects which the transaction replaces or deletes */
export function toGasSummary(
  computationCost: bigint,
  burned: bigint,
  storageCost: bigint,
  storedBefore: bigint,
): GasSummary {
  const storageRebate = (storedBefore * gasSchedule.rebatePercent) / 100n;
  return {
    computationCost,
    computationCostBurned: burned,
    storageCost,
    storageRebate,
    nonRefundableStorageFee: storedBefore - storageRebate,
  };
}

/** The amount that leaves the gas coin; negative when the rebate exceeds the cost. */
export function netGas(gas: GasSummary): bigint {
  return gas.computationCost + gas.storageCost - gas.storageRebate;
}

export function addGas(left: GasSummary, right: GasSummary): GasSummary {
  return {
    computationCost: left.computationCost + right.computationCost,
    computationCostBurned: left.computationCostBurned + right.computationCostBurned,
    storageCost: left.storageCost + right.storageCost,
    storageRebate: left.storageRebate + right.storageRebate,
    nonRefundableStorageFee: left.nonRefundableStorageFee + right.nonRefundableStorageFee,
  };
}
