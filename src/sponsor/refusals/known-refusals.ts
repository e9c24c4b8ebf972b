import type { ErrorCode } from '../../errors/catalogue.ts';
import { readNodeRefusal } from './node-refusals.ts';
import type { SponsorEndpoint } from './sponsor-answer.ts';

export interface KnownRefusal {
  readonly code: ErrorCode;
  /** Safe to show: what the pattern matched, or fixed text. */
  readonly message: string;
}

interface Row {
  /** Matches the whole text, since a longer text may come from elsewhere and mean something else. */
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  /** Endpoints where the row applies; absent = all. */
  readonly endpoints?: readonly SponsorEndpoint[];
  /** Shown in place of the text. Absent = the pattern's first group, or the whole match. */
  readonly message?: string;
}

/**
 * Refusals that only their text identifies: the sponsor answers 500 for an empty pool as for a bug. For an execution, list a text only
 * if it rules out that the transaction ran or will run. The sponsor sends these before it asks the ledger; the ledger's own are in
 * `node-refusals.ts`.
 */
const rows: readonly Row[] = [
  // Before the sponsor looks at the request: nothing was done.
  {
    pattern: /^(?:Invalid authorization token|Authorization token is required or invalid|Unauthorized)$/,
    code: 'SPONSOR_UNAUTHORIZED',
  },
  {
    pattern: /^Header of type `?authorization`? was missing$/i,
    code: 'SPONSOR_UNAUTHORIZED',
    message: 'The sponsor requires an Authorization header.',
  },
  { pattern: /^Gas station is in maintenance mode\. Please try again later\.$/, code: 'SPONSOR_MAINTENANCE' },

  // In place of a reservation.
  {
    pattern: /^Unable to reserve gas coins for the given budget\.?$/,
    code: 'SPONSOR_EXHAUSTED',
    endpoints: ['reserveGas'],
  },
  { pattern: /^Gas usage exceeds daily cap$/, code: 'SPONSOR_EXHAUSTED', endpoints: ['reserveGas'] },
  { pattern: /^Failed to spawn reserve_gas task$/, code: 'UPSTREAM_BAD_RESPONSE', endpoints: ['reserveGas'] },

  // Before the sponsor takes the reservation; the coins return when it expires.
  { pattern: /^Access denied by access controller$/, code: 'SPONSOR_FORBIDDEN' },
  {
    pattern: /^Error while checking access\. EventId=[0-9a-zA-Z-]{1,64}$/,
    code: 'SPONSOR_REJECTED',
    endpoints: ['executeTx'],
  },
  { pattern: /^Invalid bcs bytes for TransactionData$/, code: 'SPONSOR_REJECTED', endpoints: ['executeTx'] },
  { pattern: /^Sponsor 0x[0-9a-fA-F]{1,64} is not registered$/, code: 'SPONSOR_REJECTED', endpoints: ['executeTx'] },
  { pattern: /^Gas coin can only be used to pay gas$/, code: 'SPONSOR_REJECTED', endpoints: ['executeTx'] },
  {
    pattern: /^Transaction has too many input objects\. The maximum allowed is \d{1,9}$/,
    code: 'SPONSOR_REJECTED',
    endpoints: ['executeTx'],
  },

  // The sponsor's store adds a prefix that may name machines: only the group is shown. An earlier call may have spent the reservation;
  // this one did nothing.
  {
    pattern: /^(?:[^"'`{}\n]{1,300}: )?(Reservation no longer exist(?:: ?\d{1,20})?)$/,
    code: 'RESERVATION_NOT_FOUND',
    endpoints: ['executeTx'],
  },

  // After the sponsor took the reservation, and before it sent the transaction: it has locked an object itself (a validator's lock would
  // mean that it was sent), or the signature is wrong.
  {
    pattern: /^(Object is already locked(?:: 0x[0-9a-fA-F]{1,64}\b)?)(?:[:, (][^\n]{0,400})?$/,
    code: 'SPONSOR_REJECTED',
    endpoints: ['executeTx'],
  },
  { pattern: /^Invalid transaction signature$/, code: 'SPONSOR_REJECTED', endpoints: ['executeTx'] },

  // A path on the sponsor's machine follows: only the group is shown.
  {
    pattern: /^(Failed to load config file)(?:[ :][\s\S]{0,400})?$/,
    code: 'SPONSOR_REJECTED',
    endpoints: ['reloadAccessController'],
  },
];

/** The refusal that a text means at an endpoint; `null` for an unknown text. */
export function findKnownRefusal(endpoint: SponsorEndpoint, text: string): KnownRefusal | null {
  const whole = text.trim();
  for (const { pattern, code, endpoints, message } of rows) {
    const match = !endpoints || endpoints.includes(endpoint) ? pattern.exec(whole) : null;
    if (match) return { code, message: message ?? match[1] ?? match[0] };
  }
  const said = endpoint === 'executeTx' ? readNodeRefusal(whole) : null;
  return said === null ? null : { code: 'SPONSOR_REJECTED', message: said };
}
