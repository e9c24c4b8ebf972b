import type { ErrorCode } from '../../errors/catalogue.ts';
import type { SponsorEndpoint } from './sponsor-endpoint.ts';

export interface KnownRefusal {
  readonly code: ErrorCode;
  /** Safe to show: only what the pattern matched, or a sentence of ours. */
  readonly message: string;
}

interface Row {
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  /** Where the text means this. Elsewhere it is unknown, which after an execution means: look at the ledger first. */
  readonly endpoints?: readonly SponsorEndpoint[];
  /** In place of the matched text, which names things of the node. */
  readonly message?: string;
}

const signaturesRefused =
  'The ledger did not accept the signatures of this transaction. The reservation is consumed: reserve again.';

/**
 * Refusals the sponsor words in the text alone: it answers 500 for an empty pool as for a bug. Each one is final: on
 * execution, only texts are listed that rule out that the transaction of this call ran or will run. A conflict of object
 * versions is not among them, for a transaction that has already run conflicts with itself.
 */
const rows: readonly Row[] = [
  {
    pattern: /Invalid authorization token|Authorization token is required or invalid|^Unauthorized$/,
    code: 'SPONSOR_UNAUTHORIZED',
  },
  {
    pattern: /Header of type `?authorization`? was missing/i,
    code: 'SPONSOR_UNAUTHORIZED',
    message: 'The sponsor requires an Authorization header.',
  },
  { pattern: /Access denied by access controller/, code: 'SPONSOR_FORBIDDEN' },
  { pattern: /Gas station is in maintenance mode\. Please try again later\./, code: 'SPONSOR_MAINTENANCE' },
  {
    pattern: /Unable to reserve gas coins for the given budget\.?/,
    code: 'SPONSOR_EXHAUSTED',
    endpoints: ['reserveGas'],
  },
  { pattern: /Gas usage exceeds daily cap/, code: 'SPONSOR_EXHAUSTED', endpoints: ['reserveGas'] },
  { pattern: /Failed to spawn reserve_gas task/, code: 'UPSTREAM_BAD_RESPONSE', endpoints: ['reserveGas'] },
  { pattern: /Reservation no longer exist(?:: ?\d+)?/, code: 'RESERVATION_NOT_FOUND', endpoints: ['executeTx'] },
  { pattern: /Gas coin can only be used to pay gas/, code: 'SPONSOR_REJECTED', endpoints: ['executeTx'] },
  { pattern: /Sponsor 0x[0-9a-fA-F]{1,64} is not registered/, code: 'SPONSOR_REJECTED', endpoints: ['executeTx'] },
  {
    pattern: /Object is already locked/,
    code: 'SPONSOR_REJECTED',
    endpoints: ['executeTx'],
    message:
      'Another sponsored transaction in flight uses one of the same objects. The reservation is consumed: reserve again.',
  },
  { pattern: /Invalid transaction signature/, code: 'SPONSOR_REJECTED', endpoints: ['executeTx'] },
  {
    pattern: /Expect 1 signer signatures but got 2/,
    code: 'SPONSOR_REJECTED',
    endpoints: ['executeTx'],
    message: `${signaturesRefused} The sender must not be the sponsor itself.`,
  },
  {
    pattern:
      /Invalid user signature|Signature is not valid|Required Signature from 0x[0-9a-f]+ is absent|Expect \d+ signer signatures but got \d+/i,
    code: 'SPONSOR_REJECTED',
    endpoints: ['executeTx'],
    message: signaturesRefused,
  },
  {
    pattern: /Failed to load config file/,
    code: 'SPONSOR_REJECTED',
    endpoints: ['reloadAccessController'],
    message: 'The sponsor could not load its access controller configuration.',
  },
];

/** The refusal a text of the sponsor is known to mean at an endpoint; `null` for any other text. */
export function findKnownRefusal(endpoint: SponsorEndpoint, text: string): KnownRefusal | null {
  for (const { pattern, code, endpoints, message } of rows) {
    const match = !endpoints || endpoints.includes(endpoint) ? pattern.exec(text) : null;
    if (match) return { code, message: message ?? match[0] };
  }
  return null;
}
