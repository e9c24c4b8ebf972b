/**
 * Can a text be sent as the value of an HTTP header? What arrived in a header always can; what arrived in a message may
 * have line ends, zero bytes or characters that a byte cannot hold.
 */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}
