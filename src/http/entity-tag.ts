/**
 * Does a caller have already what it asks for?
 * @param header its `If-None-Match`
 * @param tag of what it would get, weak
 */
export function isKnownTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const bare = tag.slice('W/'.length);
  return header.split(',', 32).some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === bare);
}
