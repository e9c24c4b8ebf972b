import { GraphQLError } from 'graphql';

const aliases = new Set(['beta', 'legacy', 'stable']);

/** `1.33.1-rc-d864b0092161` → `1.33`, the form in which a request names it. */
export function toServedVersion(buildVersion: string): string {
  return buildVersion.split('.').slice(0, 2).join('.');
}

export interface VersionRefusal {
  readonly status: 400 | 421;
  readonly error: GraphQLError;
}

/**
 * Refuses the version in a request's path unless it is the one served here; `undefined` if it is. Compared as text:
 * `2024.01` is not `2024.1`.
 */
export function checkRpcVersion(asked: string, buildVersion: string): VersionRefusal | undefined {
  if (aliases.has(asked) || asked === toServedVersion(buildVersion)) return undefined;
  if (/^[0-9]+\.[0-9]+$/.test(asked)) {
    return { status: 421, error: refuse('INTERNAL_SERVER_ERROR', `Version '${asked}' not supported.`) };
  }
  const expected = 'Expected either a `beta | legacy | stable` version or <YEAR>.<MONTH> version.';
  return { status: 400, error: refuse('BAD_REQUEST', `Failed to parse version path: ${asked}. ${expected}`) };
}

function refuse(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
