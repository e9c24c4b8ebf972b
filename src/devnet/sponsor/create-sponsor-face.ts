import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DevnetFace } from '../faces.ts';
import type { Clock, Ledger } from '../state/ledger-state.ts';
import { hash256 } from '../transactions/digest.ts';
import type { Keypair } from '../transactions/keypair.ts';
import { signTransaction } from '../transactions/signature.ts';
import { type AccessController, createAccessController } from './access-controller.ts';
import { createDailyCap } from './daily-cap.ts';
import { executeTx, refuseExecute } from './execute-tx.ts';
import { createGasPool } from './gas-pool.ts';
import { readJsonBody } from './read-json-body.ts';
import { BodyMismatch, parseExecuteTxBody, parseReserveGasBody } from './request-body.ts';
import { exhaustedText, refuseReserve, reserveGas } from './reserve-gas.ts';
import { jsonAnswer, type SponsorAnswer, textAnswer } from './sponsor-answer.ts';

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
const healthCheckBudget = 100_000_000n;
const healthCheckMs = 3_000;

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

  const isAuthorized = (req: IncomingMessage): boolean => {
    if (options.token === null) return true;
    const given = /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(hash256(Buffer.from(given)), hash256(Buffer.from(options.token)));
  };

  const checkHealth = (): string => {
    const reservation = pool.reserve(healthCheckBudget, healthCheckMs);
    if (!reservation) return `Failed to check health: ${exhaustedText}`;
    signTransaction(sponsor, Buffer.from('health'));
    return 'OK';
  };

  const reload = (): SponsorAnswer =>
    access.reload() ? jsonAnswer(200, { result: 'success' }) : jsonAnswer(500, { error: 'Failed to load config file' });

  const routes: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
    '/': { GET: () => textAnswer(200, 'OK') },
    '/version': { GET: () => textAnswer(200, `0.3.0-${sponsor.address.slice(2, 14)}`) },
    '/debug_health_check': { POST: (req) => textAnswer(200, isAuthorized(req) ? checkHealth() : 'Unauthorized') },
    '/v1/reserve_gas': {
      POST: (req) =>
        withBody(req, parseReserveGasBody, (body) =>
          isAuthorized(req)
            ? reserveGas(body, { pool, cap, sponsorAddress: sponsor.address, isInMaintenance })
            : refuseReserve(401, 'Authorization token is required or invalid'),
        ),
    },
    '/v1/execute_tx': {
      POST: (req) =>
        withBody(req, parseExecuteTxBody, (body) =>
          isAuthorized(req)
            ? executeTx(body, { ledger, pool, cap, access, sponsor })
            : refuseExecute(401, 'Invalid authorization token'),
        ),
    },
    '/v1/reload_access_controller': {
      GET: (req) => (isAuthorized(req) ? reload() : jsonAnswer(403, { error: 'Invalid authorization token' })),
    },
  };

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

type Route = (req: IncomingMessage) => SponsorAnswer | Promise<SponsorAnswer>;

/** Body first: a request of the wrong shape is told so whoever sends it. */
async function withBody<T>(
  req: IncomingMessage,
  parse: (value: unknown, text: string) => T,
  answer: (body: T) => SponsorAnswer,
): Promise<SponsorAnswer> {
  const json = await readJsonBody(req);
  if (!json.ok) return json.answer;
  try {
    return answer(parse(json.value, json.text));
  } catch (error) {
    if (error instanceof BodyMismatch) return error.toAnswer();
    throw error;
  }
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
