/**
 * Can text be sent as the value of an HTTP header? Text from a WebSocket message may contain line ends, zero bytes or
 * characters beyond one byte, which cannot be sent.
 */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}
