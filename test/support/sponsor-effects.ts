/** Effects as the sponsor's service writes them: without empty lists, with numbers as numbers or text. */
export function sponsorEffects(transactionDigest: string, changes: Readonly<Record<string, unknown>> = {}) {
  return {
    messageVersion: 'v1',
    status: { status: 'success' },
    executedEpoch: '12',
    gasUsed: {
      computationCost: '1000000',
      computationCostBurned: '1000000',
      storageCost: '2964000',
      storageRebate: '1956000',
      nonRefundableStorageFee: '0',
    },
    modifiedAtVersions: [{ objectId: '0xc01', sequenceNumber: '7' }],
    transactionDigest,
    mutated: [{ owner: { AddressOwner: '0x5' }, reference: { objectId: '0xc01', version: 8, digest: 'D1' } }],
    gasObject: { owner: { AddressOwner: '0x5' }, reference: { objectId: '0xc01', version: 8, digest: 'D1' } },
    dependencies: ['DEP'],
    ...changes,
  };
}
