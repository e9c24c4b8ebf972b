import type { ErrorCode } from '../../errors/catalogue.ts';
import { readNodeRefusal } from './node-refusals.ts';
import type { SponsorEndpoint } from './sponsor-answer.ts';

export interface KnownRefusal {
  readonly code: ErrorCode;
  /** Safe to show: only what the pattern matched, or a sentence of ours. */
  readonly message: string;
}

interface Row {
  /** Matches the whole text: a longer text that only contains such words may come from somebody else and mean another thing. */
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  /** Where the text means this; absent = everywhere. At other endpoints the row does not apply, and the text is unknown. */
  readonly endpoints?: readonly SponsorEndpoint[];
  /** Shown in place of the text. Absent = the pattern's first group, or all that matched where there is no group. */
  readonly message?: string;
}

/**
 * Refusals that only the text tells apart: the sponsor answers 500 for an empty pool as for a bug. For an execution, a text
 * may be listed only if it rules out that the transaction ran or will run, because the client is told so. The sponsor says
 * these before it sends anything to the ledger; what the ledger itself refuses is in `node-refusals.ts`.
 */
const rows: readonly Row[] = [
  // Said before the sponsor looks at the request, so nothing was done.
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

  // Said instead of reserving.
  {
    pattern: /^Unable to reserve gas coins for the given budget\.?$/,
    code: 'SPONSOR_EXHAUSTED',
    endpoints: ['reserveGas'],
  },
  { pattern: /^Gas usage exceeds daily cap$/, code: 'SPONSOR_EXHAUSTED', endpoints: ['reserveGas'] },
  { pattern: /^Failed to spawn reserve_gas task$/, code: 'UPSTREAM_BAD_RESPONSE', endpoints: ['reserveGas'] },

  // Said of a transaction before its reservation is used up with the sponsor; its coins return when it expires.
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

  // The sponsor's store puts words of its own before these, which may name machines: only the group is shown. An earlier
  // call may have used the reservation up; this one did nothing.
  {
    pattern: /^(?:[^"'`{}\n]{1,300}: )?(Reservation no longer exist(?:: ?\d{1,20})?)$/,
    code: 'RESERVATION_NOT_FOUND',
    endpoints: ['executeTx'],
  },

  // Said after the reservation was used up, but before the transaction was sent: the sponsor has locked an object itself (a
  // validator's lock would mean that it was sent), or has found the signature wrong.
  {
    pattern: /^(Object is already locked(?:: 0x[0-9a-fA-F]{1,64}\b)?)(?:[:, (][^\n]{0,400})?$/,
    code: 'SPONSOR_REJECTED',
    endpoints: ['executeTx'],
  },
  { pattern: /^Invalid transaction signature$/, code: 'SPONSOR_REJECTED', endpoints: ['executeTx'] },

  // The text goes on with a path on the sponsor's machine, which clients must not see: only the group is shown.
  {
    pattern: /^(Failed to load config file)(?:[ :][\s\S]{0,400})?$/,
    code: 'SPONSOR_REJECTED',
    endpoints: ['reloadAccessController'],
  },
];

/** The refusal a text of the sponsor is known to mean at an endpoint; `null` for any other text. */
export function findKnownRefusal(endpoint: SponsorEndpoint, text: string): KnownRefusal | null {
  const whole = text.trim();
  for (const { pattern, code, endpoints, message } of rows) {
    const match = !endpoints || endpoints.includes(endpoint) ? pattern.exec(whole) : null;
    if (match) return { code, message: message ?? match[1] ?? match[0] };
  }
  const said = endpoint === 'executeTx' ? readNodeRefusal(whole) : null;
  return said === null ? null : { code: 'SPONSOR_REJECTED', message: said };
}
