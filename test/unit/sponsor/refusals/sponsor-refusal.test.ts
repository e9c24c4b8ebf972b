import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../../src/errors/catalogue.ts';
import { toSponsorRefusal } from '../../../../src/sponsor/sponsor-refusal.ts';
import type { SponsorAnswer, SponsorEndpoint } from '../../../../src/sponsor/sponsor-response.ts';
import { sponsorAnswers, titled, toAnswerText } from '../../../support/sponsor-answers.ts';

const envelopes = (status: number, error: string): readonly SponsorAnswer[] =>
  [{ error }, { result: null, error }, { effects: null, error }].map((json) => ({
    status,
    json,
    text: JSON.stringify(json),
  }));
const plain = (status: number, text: string): SponsorAnswer => ({ status, json: undefined, text });

/** Endpoint, status, the text in the envelope, what the caller gets, and the message where it is not that text. */
const envelopeRows: [SponsorEndpoint, number, string, ErrorCode, string?][] = [
  ['reserveGas', 401, 'Authorization token is required or invalid', 'SPONSOR_UNAUTHORIZED'],
  ['reserveGas', 401, 'Invalid authorization token', 'SPONSOR_UNAUTHORIZED'],
  ['reserveGas', 401, 'whatever else', 'SPONSOR_UNAUTHORIZED'],
  ['reserveGas', 400, 'Gas budget must be positive', 'SPONSOR_REJECTED'],
  ['reserveGas', 400, 'Gas budget must be less than 2000000000', 'SPONSOR_REJECTED'],
  ['reserveGas', 400, 'Reserve duration must be less than 600 seconds', 'SPONSOR_REJECTED'],
  ['reserveGas', 500, 'Unable to reserve gas coins for the given budget.', 'SPONSOR_EXHAUSTED'],
  ['reserveGas', 500, 'Gas usage exceeds daily cap', 'SPONSOR_EXHAUSTED'],
  ['reserveGas', 500, 'Failed to spawn reserve_gas task', 'UPSTREAM_BAD_RESPONSE'],
  ['reserveGas', 503, 'Gas station is in maintenance mode. Please try again later.', 'SPONSOR_MAINTENANCE'],
  ['reserveGas', 429, 'slow down', 'SPONSOR_EXHAUSTED'],
  ['executeTx', 401, 'Invalid authorization token', 'SPONSOR_UNAUTHORIZED'],
  ['executeTx', 400, 'Invalid bcs bytes for TransactionData', 'SPONSOR_REJECTED'],
  ['executeTx', 400, 'Invalid transaction signature', 'SPONSOR_REJECTED'],
  ['executeTx', 400, 'Error while checking access. EventId=1f0e', 'SPONSOR_REJECTED'],
  ['executeTx', 400, 'Transaction has too many input objects. The maximum allowed is 50', 'SPONSOR_REJECTED'],
  ['executeTx', 403, 'Access denied by access controller', 'SPONSOR_FORBIDDEN'],
  ['executeTx', 403, 'Invalid authorization token', 'SPONSOR_UNAUTHORIZED'],
  ['executeTx', 500, 'Sponsor 0x00ab is not registered', 'SPONSOR_REJECTED'],
  ['executeTx', 500, 'Gas coin can only be used to pay gas', 'SPONSOR_REJECTED'],
  ['executeTx', 500, 'Invalid transaction signature', 'SPONSOR_REJECTED'],
  [
    'executeTx',
    500,
    'Storage error at redis://u:p@10.0.0.1: Reservation no longer exist: 42',
    'RESERVATION_NOT_FOUND',
    'Reservation no longer exist: 42',
  ],
  ['executeTx', 404, 'Reservation no longer exist: 42', 'RESERVATION_NOT_FOUND'],
  [
    'executeTx',
    500,
    'RPC call failed: Invalid user signature: Value was not equal to 1 at validator 10.0.0.7:8080',
    'SPONSOR_REJECTED',
    'Invalid user signature',
  ],
  ['executeTx', 500, 'Signature is not valid: Fail to verify user sig', 'SPONSOR_REJECTED'],
  ['executeTx', 500, 'Expect 1 signer signatures but got 2', 'SPONSOR_REJECTED'],
  ['executeTx', 500, 'Expect 2 signer signatures but got 3', 'SPONSOR_REJECTED'],
  ['executeTx', 500, 'Required Signature from 0x0ab is absent ["0x1"]', 'SPONSOR_REJECTED'],
  ['executeTx', 500, 'Object is already locked: 0x7', 'SPONSOR_REJECTED'],
  [
    'executeTx',
    500,
    'Object is already locked: (0x7, held by 10.0.0.7:6379)',
    'SPONSOR_REJECTED',
    'Object is already locked',
  ],
  ['executeTx', 500, 'Invalid bcs bytes for TransactionData', 'SPONSOR_REJECTED'],
  ['executeTx', 500, 'Error while checking access. EventId=1f0e-22', 'SPONSOR_REJECTED'],
  ['executeTx', 500, 'Transaction has too many input objects. The maximum allowed is 50', 'SPONSOR_REJECTED'],
  [
    'executeTx',
    500,
    'RPC call failed: ErrorObject { code: ServerError(-32002), message: "Error checking transaction input objects: Gas price 1 under reference gas price (RGP) 1000", data: None }',
    'SPONSOR_REJECTED',
    'Error checking transaction input objects: Gas price 1 under reference gas price (RGP) 1000',
  ],
  ['executeTx', 503, 'Gas station is in maintenance mode. Please try again later.', 'SPONSOR_MAINTENANCE'],
  ['reloadAccessController', 403, 'Invalid authorization token', 'SPONSOR_UNAUTHORIZED'],
  ['reloadAccessController', 401, 'Unauthorized', 'SPONSOR_UNAUTHORIZED'],
  ['reloadAccessController', 403, 'Unauthorized', 'SPONSOR_UNAUTHORIZED'],
  [
    'reloadAccessController',
    500,
    'Failed to load config file /etc/gas/config.yaml',
    'SPONSOR_REJECTED',
    'Failed to load config file',
  ],
];

describe('an error envelope', () => {
  it.each(envelopeRows)('of %s with %d "%s" is %s', (endpoint, status, text, code, message = text) => {
    for (const answer of envelopes(status, text)) {
      expect(toSponsorRefusal(endpoint, answer)).toMatchObject({ code, message, unknown: false });
    }
  });

  it('under 4xx keeps the sponsor’s own message whole, to be redacted', () => {
    const [answer] = envelopes(401, 'Invalid authorization token abc');
    expect(toSponsorRefusal('reserveGas', answer!)).toMatchObject({
      message: 'Invalid authorization token abc',
      own: true,
    });
  });

  it.each([
    ['reserveGas', 500, 'UPSTREAM_BAD_RESPONSE'],
    ['reserveGas', 502, 'UPSTREAM_UNAVAILABLE'],
    ['reserveGas', 503, 'UPSTREAM_UNAVAILABLE'],
    ['reserveGas', 504, 'UPSTREAM_TIMEOUT'],
    ['reserveGas', 408, 'UPSTREAM_TIMEOUT'],
    ['reserveGas', 200, 'UPSTREAM_BAD_RESPONSE'],
    ['executeTx', 200, 'EXECUTION_OUTCOME_UNKNOWN'],
    ['executeTx', 302, 'EXECUTION_OUTCOME_UNKNOWN'],
    ['executeTx', 408, 'EXECUTION_OUTCOME_UNKNOWN'],
    ['executeTx', 500, 'EXECUTION_OUTCOME_UNKNOWN'],
    ['executeTx', 502, 'EXECUTION_OUTCOME_UNKNOWN'],
    ['executeTx', 503, 'EXECUTION_OUTCOME_UNKNOWN'],
    ['executeTx', 504, 'EXECUTION_OUTCOME_UNKNOWN'],
    ['reloadAccessController', 500, 'UPSTREAM_BAD_RESPONSE'],
  ] as [SponsorEndpoint, number, ErrorCode][])(
    'of %s under %d with an unknown message is %s, and the message is not shown',
    (endpoint, status, code) => {
      for (const answer of envelopes(status, 'panic at /srv/src/main.rs:42')) {
        const refusal = toSponsorRefusal(endpoint, answer);
        expect(refusal).toMatchObject({ code, own: false, unknown: true });
        expect(refusal.message).not.toContain('main.rs');
      }
    },
  );

  it.each([
    'Unable to reserve gas coins for the given budget.',
    'Gas usage exceeds daily cap',
    'Failed to load config file',
    'Transaction is rejected as invalid by more than 1/3 of validators by stake: object version conflict',
    'Transaction timed out before reaching finality',
    'Move abort: "Reservation no longer exist: 42"',
    'Execution failed: { abort: Reservation no longer exist: 42',
    'Object (0x7, 3, 9xYz) already locked by a different transaction: 5fX2xz',
    'The transaction is already finalized but with different user signatures',
    'Gas coin can only be used to pay gas, said module 0x5::attacker',
    'Invalid transaction signature of certificate: retry',
    'Access denied by access controller of validator 3',
  ])('about an execution does not rule out that the transaction ran if it says "%s"', (text) => {
    const [answer] = envelopes(500, text);
    expect(toSponsorRefusal('executeTx', answer!).code).toBe('EXECUTION_OUTCOME_UNKNOWN');
  });
});

describe('a plain-text response', () => {
  it.each([400, 413, 415, 422])('with %d means that our own request was invalid, and nothing was done', (status) => {
    for (const endpoint of ['reserveGas', 'executeTx'] as const) {
      expect(toSponsorRefusal(endpoint, plain(status, 'Failed to deserialize the JSON body'))).toEqual({
        code: 'UPSTREAM_BAD_RESPONSE',
        message: `The sponsor could not read the request of this gateway (HTTP ${status}); it did nothing.`,
        own: false,
        unknown: true,
        mayHaveRun: false,
        isReservationKept: false,
        needsLookUp: false,
      });
    }
  });

  it.each([
    [401, 'SPONSOR_UNAUTHORIZED'],
    [403, 'SPONSOR_FORBIDDEN'],
    [404, 'UPSTREAM_BAD_RESPONSE'],
    [405, 'UPSTREAM_BAD_RESPONSE'],
    [429, 'SPONSOR_EXHAUSTED'],
  ] as [number, ErrorCode][])('with %d is %s with a fixed message', (status, code) => {
    const refusal = toSponsorRefusal('executeTx', plain(status, '<html>nginx/1.25</html>'));
    expect(refusal).toMatchObject({ code, own: false, unknown: true });
    expect(refusal.message).not.toContain('nginx');
  });

  it('about a missing header asks for authorization', () => {
    expect(toSponsorRefusal('reserveGas', plain(400, 'Header of type `authorization` was missing'))).toMatchObject({
      code: 'SPONSOR_UNAUTHORIZED',
      message: 'The sponsor requires an Authorization header.',
    });
  });

  it.each(['Unauthorized', '"Unauthorized"'])('of %s under 200 is an authorization error', (text) => {
    expect(toSponsorRefusal('debugHealthCheck', plain(200, text)).code).toBe('SPONSOR_UNAUTHORIZED');
  });
});

describe('JSON that was cut off', () => {
  it.each(['{"error":"Timed out waiting for the effects of ', ' [', '{'])('is no rejection: %s', (text) => {
    for (const endpoint of ['reserveGas', 'executeTx'] as const)
      expect(toSponsorRefusal(endpoint, plain(400, text))).toMatchObject({ unknown: true, mayHaveRun: true });
    expect(toSponsorRefusal('executeTx', plain(400, text)).code).toBe('EXECUTION_OUTCOME_UNKNOWN');
  });

  it('is not assumed if plain text contains whole JSON', () => {
    expect(toSponsorRefusal('executeTx', plain(403, '{"message":"no"}')).code).toBe('SPONSOR_FORBIDDEN');
  });
});

describe('unreadable effects', () => {
  it.each([
    '{"effects":{"status":{"status":"failure","error":"Reservation no longer exist"',
    '{"effects":{"status":{"status":"odd","error":"Invalid user signature"}},"error":null}',
    '{"effects":{"status":{"status":"odd"}},"error":"Invalid user signature"}',
  ])('never count as a rejection: %s', (text) => {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    expect(toSponsorRefusal('executeTx', { status: 200, json, text }).code).toBe('EXECUTION_OUTCOME_UNKNOWN');
  });
});

const sent = { digest: 'DIGEST', rawReservationId: '42' };

describe('an error answer of a service', () => {
  it.each(titled(sponsorAnswers))('%s', (_title, { endpoint, status, text, code, fate, message }) => {
    for (const answer of envelopes(status, toAnswerText(text, sent.digest, sent.rawReservationId))) {
      const refusal = toSponsorRefusal(endpoint, answer, endpoint === 'executeTx' ? sent : undefined);
      expect(refusal).toMatchObject({
        code,
        mayHaveRun: fate === 'unknown' || fate === 'maybe reserved',
        isReservationKept: fate === 'kept',
        needsLookUp: fate === 'refused unless found',
      });
      if (message === null) expect(refusal).toMatchObject({ own: false, unknown: true });
      else expect(refusal.message).toBe(toAnswerText(message, sent.digest, sent.rawReservationId));
    }
  });

  const ofExecutions = sponsorAnswers.filter(({ endpoint, fate }) => endpoint === 'executeTx' && fate !== 'unknown');

  it.each(titled(ofExecutions))(
    'leaves everything open if it is about another execution: %s',
    (_title, { status, text, code }) => {
      const isAbout = /DIGEST|NUMBER/.test(text) && code === 'SPONSOR_REJECTED' && status >= 500;
      for (const answer of envelopes(status, toAnswerText(text, 'ANOTHER', '43')))
        expect(toSponsorRefusal('executeTx', answer, sent).code).toBe(isAbout ? 'EXECUTION_OUTCOME_UNKNOWN' : code);
    },
  );

  it.each(titled(ofExecutions))('leaves everything open if it is cut off: %s', (_title, { status, text }) => {
    const [answer] = envelopes(status, toAnswerText(text, sent.digest, sent.rawReservationId));
    for (let length = 1; length < answer!.text.length; length += 7) {
      const cutOff = { status, json: undefined, text: answer!.text.slice(0, length) };
      expect(toSponsorRefusal('executeTx', cutOff, sent).mayHaveRun).toBe(true);
    }
  });
});

describe('the error of a node', () => {
  const told = (text: string, status = 500) => {
    const [answer] = envelopes(status, text);
    return toSponsorRefusal('executeTx', answer!, sent);
  };
  const start = 'execute_transaction error for DIGEST: ';
  const rejection = 'server error (code 3): Invalid user signature: x';

  it('is a rejection only if its code comes directly after the digest', () => {
    expect(told(start + rejection).mayHaveRun).toBe(false);
    expect(told(rejection).code).toBe('EXECUTION_OUTCOME_UNKNOWN');
    for (const text of [
      `${start}protocol error: ${rejection}`,
      `${start}server error (code 14): ${start}${rejection}`,
      `${start}server error (code 3x): no`,
      `${start}server error (code 33): no`,
      `${start}grpc error: code: 'Internal error', message: "code: 'Client specified an invalid argument'"`,
      `${start}grpc error: code: 'Internal error', message: "\\", message: \\"", source: "Client specified an invalid argument"`,
      `x ${start}${rejection}`,
      `${start}${start}${rejection}`,
    ])
      for (const status of [200, 400, 500, 503]) expect(told(text, status).code).toBe('EXECUTION_OUTCOME_UNKNOWN');
  });

  it('leaves everything open if the node says that the transaction ran before', () => {
    for (const ran of ['is already finalized', 'was already executed in epoch 7'])
      expect(told(`${start}server error (code 3): The transaction ${ran}`).mayHaveRun).toBe(true);
  });

  it('is not shown if it may contain more than public facts', () => {
    expect(told(`${start}server error (code 3): validator 10.0.0.7 says no`).message).toBe(
      'The ledger rejected the transaction (gRPC code 3, InvalidArgument); it did not run.',
    );
  });

  it('is read in linear time', () => {
    const long = 'Gas price cannot exceed 5, '.repeat(100_000);
    for (const text of [
      `${start}server error (code 3): ${long}`,
      `${start}grpc error: code: 'Client specified an invalid argument', message: "${long}`,
      `${start}grpc error: code: '${long}`,
    ])
      expect(told(text).own).toBe(false);
  });
});

describe('a rejection that names the transaction', () => {
  it.each([...envelopes(400, 'Invalid transaction signature of DIGEST'), plain(403, 'DIGEST is denied')])(
    'leaves open whether it ran: %#',
    (answer) => {
      expect(toSponsorRefusal('executeTx', answer, sent)).toMatchObject({
        code: 'EXECUTION_OUTCOME_UNKNOWN',
        mayHaveRun: true,
      });
      expect(toSponsorRefusal('executeTx', answer, { ...sent, digest: 'ANOTHER' }).mayHaveRun).toBe(false);
    },
  );
});

describe('coins under an error status', () => {
  it.each([400, 403, 429, 500])('may be locked: HTTP %d', (status) => {
    const json = { result: { reservation_id: 42 }, error: 'Gas budget must be positive' };
    const refusal = toSponsorRefusal('reserveGas', { status, json, text: JSON.stringify(json) });
    expect(refusal).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', mayHaveRun: true, own: false });
    expect(refusal.message).toContain('they stay locked');
  });
});

describe('a response lost on the way', () => {
  it('to a reservation says that coins may be locked', () => {
    expect(toSponsorRefusal('reserveGas', plain(500, '')).message).toBe(
      'The sponsor failed (HTTP 500). If it reserved coins, they stay locked until the requested duration is over.',
    );
  });
});
