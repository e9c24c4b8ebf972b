import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export interface SigningKey {
  readonly kid: string;
  /** The header's algorithm, unless the test replaces it. */
  sign(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>;
  readonly jwk: Record<string, unknown>;
}

/** Creates a key pair whose public half can be published. */
export async function createSigningKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return {
    kid,
    sign: (claims, header = {}) => new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey),
    jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' },
  };
}

/** The key server of an issuer, on loopback. */
export interface TokenIssuer extends AsyncDisposable {
  readonly url: string;
  /** The keys that it publishes. */
  publish(...keys: SigningKey[]): void;
  /** Replaces its response; `null`: the correct one. */
  answer(respond: ((res: ServerResponse) => void) | null): void;
  /** Requests received. */
  readonly asked: number;
}

export async function startTokenIssuer(...first: SigningKey[]): Promise<TokenIssuer> {
  let keys = first;
  let respondWith: ((res: ServerResponse) => void) | null = null;
  let asked = 0;
  const server = createServer((_, res) => {
    asked += 1;
    if (respondWith) return respondWith(res);
    res.setHeader('content-type', 'application/jwk-set+json');
    res.end(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
    publish: (...others) => {
      keys = others;
    },
    answer: (respond) => {
      respondWith = respond;
    },
    get asked() {
      return asked;
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
