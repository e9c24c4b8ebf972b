import type { IncomingMessage } from 'node:http';
import type { VersionRefusal } from '../admission/rpc-version.ts';

export interface RefusedVersionOptions {
  /** Names of the headers by which a client asks for a version: the contract's, and the network's own. */
  readonly versionHeaders: readonly string[];
  /** Why the version that path and header ask for is not served; `null` when it is. */
  readonly checkVersion: (path: string | null, header: string | undefined) => VersionRefusal | null;
}

/**
 * Why the version that a request asks for is not served; `null` when it is. Header and path must both hold.
 * @param path the version in the path; `null` where it has none
 */
export type RefusedVersion = (req: Pick<IncomingMessage, 'headers'>, path: string | null) => VersionRefusal | null;

export function createRefusedVersion({ versionHeaders, checkVersion }: RefusedVersionOptions): RefusedVersion {
  return ({ headers }, path) => {
    let asked: string | undefined;
    for (const name of versionHeaders) {
      const header = headers[name];
      if (header !== undefined) asked = asked === undefined ? String(header) : `${asked}, ${header}`;
    }
    return path === null && asked === undefined ? null : checkVersion(path, asked);
  };
}
