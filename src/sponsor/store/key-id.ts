import { createHash } from 'node:crypto';

/** Names a caller's idempotency key for one field: of bounded length, whatever the caller wrote. */
export function keyIdOf(field: 'reserve' | 'execute', caller: string, key: string): string {
  return createHash('sha256').update(`${field}\n${caller}\n${key}`).digest('base64url');
}
