import { Buffer } from 'node:buffer';
import { randomFillSync } from 'node:crypto';

const idBytes = 16;

/** Random bytes for the next ids: drawn one by one, they would cost ten times as much. */
const drawn = Buffer.alloc(256 * idBytes);
let used = drawn.length;

/** 16 random bytes as base64url. */
export function createLeaseId(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += idBytes;
  return drawn.toString('base64url', used - idBytes, used);
}
