import type { Caller, Scope } from '../subschemas/operation-context.ts';
import type { ServerContext } from './operation-run.ts';

export interface IdentifyOptions {
  readonly auth: 'forward' | 'token';
  readonly devnet: boolean;
}

const anonymous: ReadonlySet<Scope> = new Set(['read', 'sponsor']);
const everything: ReadonlySet<Scope> = new Set(['read', 'sponsor', 'admin']);

/**
 * Who is calling. When credentials are forwarded the sponsor decides what they are worth. When the gateway holds the
 * sponsor's token, a caller may read and sponsor; on the devnet a caller on this machine may also administer.
 */
export function createIdentify({ auth, devnet }: IdentifyOptions): (context: ServerContext) => Caller {
  return ({ authorization, remoteAddress }) => ({
    authorization,
    scopes: auth === 'forward' || (devnet && isLoopback(remoteAddress)) ? everything : anonymous,
  });
}

export function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(address);
}
