import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BodyMismatch, parseExecuteTxBody, parseReserveGasBody } from '../../../../src/devnet/sponsor/request-body.ts';

const reserve = (text: string) => parseReserveGasBody(JSON.parse(text), text);
const execute = (text: string) => parseExecuteTxBody(JSON.parse(text), text);

describe('the body of a request', () => {
  test('keeps every digit of a 64-bit number', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        (budget, secs) => {
          expect(reserve(`{"gas_budget":${budget}, "reserve_duration_secs" : ${secs}}`)).toEqual({
            gasBudget: budget,
            reserveDurationSecs: secs,
          });
        },
      ),
    );
  });

  test.each(['1.0', '1e3', '1.5', '-1', '18446744073709551616', '"1"', 'true', 'null', '[1]', '{}'])(
    'rejects %s as a number',
    (literal) => {
      expect(() => reserve(`{"gas_budget":${literal},"reserve_duration_secs":1}`)).toThrow(BodyMismatch);
    },
  );

  test.each(['null', '[]', '"text"', '3'])('rejects %s as an object', (text) => {
    expect(() => reserve(text)).toThrow('expected a JSON object');
  });

  test('names the missing member', () => {
    expect(() => execute('{"reservation_id":1,"user_sig":""}')).toThrow('missing field `tx_bytes`');
  });

  test.each([
    ['', 'waitForEffectsCert'],
    [',"request_type":null', 'waitForEffectsCert'],
    [',"request_type":"waitForLocalExecution"', 'waitForLocalExecution'],
    [',"requestType":"waitForLocalExecution"', 'waitForLocalExecution'],
  ])('reads the request type of %j', (member, requestType) => {
    expect(execute(`{"reservation_id":1,"tx_bytes":"AA==","user_sig":"AQ=="${member}}`)).toEqual({
      reservationId: 1n,
      txBytes: 'AA==',
      userSig: 'AQ==',
      requestType,
    });
  });
});
