/**
 * Does the show-usage header ask for usage? As the contract says, `false`, `0` and an empty value mean no, although real
 * ledgers only look whether the header is there.
 */
export function isUsageAsked(header: string | string[] | null | undefined): boolean {
  const value = (Array.isArray(header) ? header[0] : header)?.trim().toLowerCase() ?? '';
  return value !== '' && value !== 'false' && value !== '0';
}
