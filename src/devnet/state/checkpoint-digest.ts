import { toDigest } from '../../transactions/digest.ts';
import { contentHash } from '../transactions/content-hash.ts';
import type { TransactionRecord } from './records.ts';

/** The digest of a checkpoint: a hash over all its distinguishing fields. */
export function toCheckpointDigest(
  sequenceNumber: number,
  epoch: number,
  timestampMs: number,
  previousDigest: string | null,
  transactions: readonly TransactionRecord[],
): string {
  const digests = transactions.map(({ digest }) => digest).join(' ');
  const text = `CheckpointSummary:: ${epoch} ${sequenceNumber} ${timestampMs} ${previousDigest ?? '-'} ${digests}`;
  return toDigest(contentHash(Buffer.from(text)));
}

/** As long as a real aggregate signature (48 bytes) and as unpredictable, but only a hash. */
export function toSimulatedSignature(checkpointDigest: string): string {
  const halves = ['signature', 'bitmap'].map((salt) => contentHash(Buffer.from(`${salt} ${checkpointDigest}`)));
  return Buffer.concat(halves, 48).toString('base64');
}
