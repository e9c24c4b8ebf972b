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
  /** Owns the gas coins and signs for them. */
  readonly sponsor: Keypair;
  /** The bearer token; `null` accepts every caller, like a service without a configured token. */
  readonly token: string | null;
  /** Net gas per UTC day after which nothing is reserved, smallest unit. Default 1500 coins. */
  readonly dailyGasCap?: bigint;
}

/** The sponsor's interface, with handles by which tests cause failures. */
export interface SponsorFace extends DevnetFace {
  readonly sponsorAddress: string;
  readonly access: Pick<AccessController, 'deny' | 'allow' | 'breakChecks' | 'breakConfiguration'>;
  /** While it is on, nothing is reserved. */
  setMaintenance(on: boolean): void;
  /** How many coins are not reserved. */
  freeCoins(): number;
}

const defaultDailyGasCap = 1_500_000_000_000n;

/**
 * The gas sponsoring service over the devnet's ledger, with the real one's endpoints, statuses, texts and quirks. The
 * body is read before the token is checked, the text for a bad token differs by endpoint, and the deep health check
 * always answers 200.
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
      // Routes that answer GET also answer HEAD; Node leaves out the body by itself.
      const route = methods[req.method === 'HEAD' ? 'GET' : (req.method ?? '')];
      if (!route) {
        res.setHeader('allow', Object.keys(methods).join(','));
        return write(res, textAnswer(405, ''));
      }
      try {
        write(res, await route(req));
      } catch (error) {
        // The client left before its body was complete, so no answer is sent.
        if (req.complete) throw error;
        res.destroy();
      }
    },
    close: async () => {},
  };
}

/** If the client has hung up, the answer is lost, although the request was executed. */
function write(res: ServerResponse, { status, body }: SponsorAnswer): void {
  const isText = 'text' in body;
  const content = isText ? body.text : JSON.stringify(body.json);
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
  const headers = content === '' ? {} : { 'content-type': type };
  res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(content) });
  res.end(content);
}
