import { type ErrorCode, errorCatalogue } from '../errors/catalogue.ts';

/** The RPC version of a request, unchecked. */
export interface RequestedVersion {
  /** The version header; `undefined` without one. Node joins several by `, `. */
  readonly header: string | undefined;
  /** The segment after `/graphql/`; `null` for the path without one. */
  readonly path: string | null;
}

/** The versions that this gateway serves. */
export interface ServedVersion {
  /** Full build version of the ledger, `major.minor.patch-sha`. */
  readonly build: string;
  /** `<year>.<month>` versions that the ledger itself lists. */
  readonly available: readonly string[];
}

export interface VersionRefusal {
  readonly code: ErrorCode;
  readonly status: number;
  readonly message: string;
}

const named = new Set(['stable', 'beta', 'legacy']);
/** Characters of a client's text that an error repeats. */
const maxShown = 40;

/**
 * Why the requested version is not served; `null` if it is. Both header and path must be acceptable. Served: no version, an
 * empty one, a channel name, the running `<year>.<month>` in the ledger's spelling, the full build version. Another
 * well-formed version gets 421, a malformed one or several get 400.
 */
export function checkRpcVersion(requested: RequestedVersion, served: ServedVersion): VersionRefusal | null {
  const { header, path } = requested;
  if (header?.includes(',')) return malformed('Failed to parse the version header: Multiple possible versions found.');
  return (
    checkOne(header?.trim() ?? '', served, (text) => `'${text}' not a valid <YEAR>.<MONTH> version.`) ??
    checkOne(
      path ?? '',
      served,
      (text) =>
        `Failed to parse version path: ${text}. Expected either a \`beta | legacy | stable\` version or <YEAR>.<MONTH> version.`,
    )
  );
}

function checkOne(
  requested: string,
  { build, available }: ServedVersion,
  complaint: (text: string) => string,
): VersionRefusal | null {
  if (requested === '' || named.has(requested) || requested === build || available.includes(requested)) return null;
  const shown = requested.length > maxShown ? `${requested.slice(0, maxShown)}...` : requested;
  if (isYearMonth(requested)) {
    return requested === yearMonthOf(build) ? null : unsupported(`Version '${shown}' not supported.`);
  }
  return isBuild(requested) ? unsupported(`Version '${shown}' not supported.`) : malformed(complaint(shown));
}

function isYearMonth(text: string): boolean {
  return /^\d{1,9}\.\d{1,9}$/.test(text);
}

function isBuild(text: string): boolean {
  return /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[\w.-]+)?$/.test(text);
}

function yearMonthOf(build: string): string {
  return build.split('.', 2).join('.');
}

function unsupported(message: string): VersionRefusal {
  return { code: 'UNSUPPORTED_RPC_VERSION', status: errorCatalogue.UNSUPPORTED_RPC_VERSION.status, message };
}

function malformed(message: string): VersionRefusal {
  return { code: 'BAD_REQUEST', status: errorCatalogue.BAD_REQUEST.status, message };
}
