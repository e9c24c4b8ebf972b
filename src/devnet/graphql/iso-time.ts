/** RFC 3339 in UTC; whole seconds are written without a fraction. */
export function toIsoTime(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
