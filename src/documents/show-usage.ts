/**
 * Does a request ask to be told its usage? The header counts by its value, as the contract says: `false`, `0` and an empty
 * one mean no, although the services themselves look at its presence alone.
 */
export function isUsageAsked(header: string | string[] | null | undefined): boolean {
  const value = (Array.isArray(header) ? header[0] : header)?.trim().toLowerCase() ?? '';
  return value !== '' && value !== 'false' && value !== '0';
}
