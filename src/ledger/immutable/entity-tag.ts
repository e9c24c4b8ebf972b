/**
 * Does the caller already hold what it would be sent? Then an answer without a body will do.
 * @param header the caller's `If-None-Match`
 * @param tag a weak tag (`W/"…"`) of what it would be sent
 */
export function isKnownTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const bare = tag.slice('W/'.length);
  return header.split(',', 32).some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === bare);
}
