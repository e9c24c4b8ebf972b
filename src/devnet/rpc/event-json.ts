import type { EventRecord } from '../state/records.ts';

/** An event as newer nodes send it: BCS in base64, with a member that says so. */
export function toEventJson(event: EventRecord) {
  return {
    id: { txDigest: event.txDigest, eventSeq: String(event.eventSeq) },
    packageId: event.packageId,
    transactionModule: event.transactionModule,
    sender: event.sender,
    type: event.type,
    parsedJson: event.json,
    bcsEncoding: 'base64',
    bcs: Buffer.from(event.bcs).toString('base64'),
    timestampMs: String(event.timestampMs),
  };
}
