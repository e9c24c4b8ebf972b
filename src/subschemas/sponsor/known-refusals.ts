import type { ErrorCode } from '../../errors/catalogue.ts';
import { readNodeRefusal } from './node-refusals.ts';
import type { SponsorEndpoint } from './sponsor-endpoint.ts';

export interface KnownRefusal {
  readonly code: ErrorCode;
  /** Safe to show: only what the pattern matched, or a sentence of ours. */
  readonly message: string;
}

interface Row {
  /** Of the whole text: what merely contains such words, with those of somebody else around them, means something else. */
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  /** Where the text means this. Elsewhere it is unknown, which after an execution means: look at the ledger first. */
  readonly endpoints?: readonly SponsorEndpoint[];
  /** In place of the text. Without it the first group is shown where there is one, else all that matched. */
  readonly message?: string;
}

/**
 * Refusals the sponsor words in the text alone: it answers 500 for an empty pool as for a bug. Each one is final: on
 * execution, only texts are listed that rule out that the transaction of this call ran or will run. The sponsor says them
 * before it sends anything to the ledger; what the ledger itself refuses is in a table of its own.
 */
const rows: readonly Row[] = [
  // The credential is looked at before anything else but the form of the body.
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

  // Nothing is reserved.
  {
    pattern: /^Unable to reserve gas coins for the given budget\.?$/,
    code: 'SPONSOR_EXHAUSTED',
    endpoints: ['reserveGas'],
  },
  { pattern: /^Gas usage exceeds daily cap$/, code: 'SPONSOR_EXHAUSTED', endpoints: ['reserveGas'] },
  { pattern: /^Failed to spawn reserve_gas task$/, code: 'UPSTREAM_BAD_RESPONSE', endpoints: ['reserveGas'] },

  // Said of a transaction before its reservation is taken: the reservation is as it was.
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

  // The store's own words around it may name machines, and never end in words of a transaction. Whatever became of an
  // earlier call with the same reservation, this one did nothing.
  {
    pattern: /^(?:[^"'`{}\n]{1,300}: )?(Reservation no longer exist(?:: ?\d{1,20})?)$/,
    code: 'RESERVATION_NOT_FOUND',
    endpoints: ['executeTx'],
  },

  // The reservation is taken, and then something is found before the transaction is sent: the sponsor's own lock on an
  // object, unlike a validator's, and a signature that it checks itself.
  {
    pattern: /^(Object is already locked(?:: 0x[0-9a-fA-F]{1,64}\b)?)(?:[:, (][^\n]{0,400})?$/,
    code: 'SPONSOR_REJECTED',
    endpoints: ['executeTx'],
  },
  { pattern: /^Invalid transaction signature$/, code: 'SPONSOR_REJECTED', endpoints: ['executeTx'] },

  // The path behind it is the sponsor's affair.
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
