import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hash256 } from '../../transactions/digest.ts';
import type { Ledger } from '../state/ledger-state.ts';
import type { Keypair } from '../transactions/keypair.ts';
import { signTransaction } from '../transactions/signature.ts';
import type { AccessController } from './access-controller.ts';
import type { DailyCap } from './daily-cap.ts';
import { executeTx, refuseExecute } from './execute-tx.ts';
import type { GasPool } from './gas-pool.ts';
import { readJsonBody } from './read-json-body.ts';
import { BodyMismatch, parseExecuteTxBody, parseReserveGasBody } from './request-body.ts';
import { exhaustedText, refuseReserve, reserveGas } from './reserve-gas.ts';
import { jsonAnswer, type SponsorAnswer, textAnswer } from './sponsor-answer.ts';

export interface SponsorRoutesOptions {
  readonly ledger: Ledger;
  readonly sponsor: Keypair;
  /** The bearer token; `null` accepts every caller. */
  readonly token: string | null;
  readonly pool: GasPool;
  readonly cap: DailyCap;
  readonly access: AccessController;
  readonly isInMaintenance: () => boolean;
}

export type SponsorRoute = (req: IncomingMessage) => SponsorAnswer | Promise<SponsorAnswer>;

/** By path, then by method. */
export type SponsorRoutes = Readonly<Record<string, Readonly<Record<string, SponsorRoute>>>>;

const healthCheckBudget = 100_000_000n;
const healthCheckMs = 3_000;

/** The endpoints of the gas sponsoring service, with the statuses and texts of each. */
export function createSponsorRoutes(options: SponsorRoutesOptions): SponsorRoutes {
  const { ledger, sponsor, token, pool, cap, access, isInMaintenance } = options;

  const isAuthorized = (req: IncomingMessage): boolean => {
    if (token === null) return true;
    const given = /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(hash256(Buffer.from(given)), hash256(Buffer.from(token)));
  };

  const checkHealth = (): string => {
    const reservation = pool.reserve(healthCheckBudget, healthCheckMs);
    if (!reservation) return `Failed to check health: ${exhaustedText}`;
    signTransaction(sponsor, Buffer.from('health'));
    return 'OK';
  };

  const reload = (): SponsorAnswer =>
    access.reload() ? jsonAnswer(200, { result: 'success' }) : jsonAnswer(500, { error: 'Failed to load config file' });

  return {
    '/': { GET: () => textAnswer(200, 'OK') },
    '/version': { GET: () => textAnswer(200, `0.3.0-${sponsor.address.slice(2, 14)}`) },
    '/debug_health_check': { POST: (req) => textAnswer(200, isAuthorized(req) ? checkHealth() : 'Unauthorized') },
    '/v1/reserve_gas': {
      POST: (req) =>
        withBody(req, parseReserveGasBody, (body) =>
          isAuthorized(req)
            ? reserveGas(body, { pool, cap, sponsorAddress: sponsor.address, isInMaintenance: isInMaintenance() })
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
}

/** Reads the body before the token is checked: as in the service, a body of the wrong shape is refused first. */
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
