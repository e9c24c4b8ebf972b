import type { ServerResponse } from 'node:http';
import type { DevnetFace } from '../faces.ts';
import type { Clock, Ledger } from '../state/ledger-state.ts';
import type { Keypair } from '../transactions/keypair.ts';
import { type AccessController, createAccessController } from './access-controller.ts';
import { createDailyCap } from './daily-cap.ts';
import { createGasPool } from './gas-pool.ts';
import { type SponsorAnswer, textAnswer } from './sponsor-answer.ts';
import { createSponsorRoutes } from './sponsor-routes.ts';

export interface SponsorFaceOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Owns the coins and signs as gas owner. */
  readonly sponsor: Keypair;
  /** The bearer token; `null` lets everyone in, as the service does without a configured one. */
  readonly token: string | null;
  /** Net gas per UTC day after which nothing is reserved, smallest unit. Default 1500 coins. */
  readonly dailyGasCap?: bigint;
}

/** The sponsor and the handles that bring about what a client should be ready for. */
export interface SponsorFace extends DevnetFace {
  readonly sponsorAddress: string;
  readonly access: Pick<AccessController, 'deny' | 'allow' | 'breakChecks' | 'breakConfiguration'>;
  /** In maintenance nothing is reserved. */
  setMaintenance(on: boolean): void;
  /** Coins nobody holds. */
  freeCoins(): number;
}

const defaultDailyGasCap = 1_500_000_000_000n;

/**
 * The gas sponsoring service over the devnet's ledger: its endpoints, statuses and texts, quirks included. The body is
 * read before the token is looked at; the wording for a bad token differs by endpoint; the deep health check is always 200.
 */
export function createSponsorFace(options: SponsorFaceOptions): SponsorFace {
  const { ledger, clock, sponsor } = options;
  const pool = createGasPool({ ledger, clock, sponsorAddress: sponsor.address });
  const cap = createDailyCap(options.dailyGasCap ?? defaultDailyGasCap, clock);
  const access = createAccessController();
  let isInMaintenance = false;

  const routes = createSponsorRoutes({
    ...options,
    pool,
    cap,
    access,
    isInMaintenance: () => isInMaintenance,
  });

  return {
    sponsorAddress: sponsor.address,
    access,
    freeCoins: pool.freeCoins,
    setMaintenance: (on) => {
      isInMaintenance = on;
    },
    async handle(req, res) {
      const path = (req.url ?? '/').split('?')[0] ?? '/';
      const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
      if (!methods) return write(res, textAnswer(404, ''));
      // Whoever answers GET answers HEAD; node leaves the body out by itself.
      const route = methods[req.method === 'HEAD' ? 'GET' : (req.method ?? '')];
      if (!route) {
        res.setHeader('allow', Object.keys(methods).join(','));
        return write(res, textAnswer(405, ''));
      }
      try {
        write(res, await route(req));
      } catch (error) {
        // The client left before its body was complete: there is nobody to answer.
        if (req.complete) throw error;
        res.destroy();
      }
    },
    close: async () => {},
  };
}

/** A client that hung up meanwhile misses the answer; what it asked for has been done. */
function write(res: ServerResponse, { status, body }: SponsorAnswer): void {
  const isText = 'text' in body;
  const content = isText ? body.text : JSON.stringify(body.json);
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
  const headers = content === '' ? {} : { 'content-type': type };
  res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(content) });
  res.end(content);
}
