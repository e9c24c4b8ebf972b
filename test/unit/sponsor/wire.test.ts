import { describe, expect, it } from 'vitest';
import type { SponsorAnswer } from '../../../src/sponsor/sponsor-response.ts';
import {
  readDeepHealth,
  readEffects,
  readExecution,
  readHealth,
  readReloadResult,
  readReservation,
  readVersion,
} from '../../../src/sponsor/sponsor-response.ts';
import { sponsorEffects } from '../../support/sponsor-effects.ts';

const json = (value: unknown, status = 200): SponsorAnswer => ({ status, json: value, text: JSON.stringify(value) });
const text = (body: string, status = 200): SponsorAnswer => ({ status, json: undefined, text: body });

const result = {
  sponsor_address: '0x5',
  reservation_id: 42,
  gas_coins: [{ objectId: '0xc01', version: 7, digest: 'D0' }],
};

describe('readReservation', () => {
  it.each([
    ['with one key', { result }],
    ['with two keys', { result, error: null }],
    ['with keys nobody knows', { result: { ...result, extra: 1 }, error: null, note: 'x' }],
    ['with numbers as text', { result: { ...result, reservation_id: '42' } }],
  ])('reads the envelope %s', (_, value) => {
    expect(readReservation(json(value))).toMatchObject({
      sponsor_address: '0x5',
      reservation_id: '42',
      gas_coins: [{ objectId: '0xc01', version: '7', digest: 'D0' }],
    });
  });

  it('keeps a reservation id of 64 bits exact', () => {
    expect(readReservation(json({ result: { ...result, reservation_id: '18446744073709551615' } }))).toHaveProperty(
      'reservation_id',
      '18446744073709551615',
    );
  });

  it.each([
    ['an error envelope', { result: null, error: 'no' }],
    ['no coins', { result: { sponsor_address: '0x5', reservation_id: 42 } }],
    ['a negative id', { result: { ...result, reservation_id: -1 } }],
    ['a broken id', { result: { ...result, reservation_id: 1.5 } }],
    ['an id that is no number', { result: { ...result, reservation_id: '0x2a' } }],
    ['no address', { result: { ...result, sponsor_address: '' } }],
    ['a list', []],
    ['nothing', null],
  ])('rejects %s as a reservation', (_, value) => {
    expect(readReservation(json(value))).toBeNull();
  });

  it('rejects more coins than a transaction may pay with, unread', () => {
    let looks = 0;
    const coin = {
      ...result.gas_coins[0],
      get objectId() {
        looks += 1;
        return '0xc01';
      },
    };
    const many = (count: number) => ({
      status: 200,
      text: '',
      json: { result: { ...result, gas_coins: Array(count).fill(coin) } },
    });
    expect(readReservation(many(256))?.gas_coins).toHaveLength(256);
    looks = 0;
    expect(readReservation(many(257))).toBeNull();
    expect(looks).toBe(0);
  });

  it('rejects a reservation under an error status', () => {
    expect(readReservation(json({ result }, 500))).toBeNull();
  });
});

describe('readExecution', () => {
  it.each([
    ['success', true],
    ['failure', false],
  ])('tells %s', (status, succeeded) => {
    const effects = sponsorEffects('TX', { status: { status } });
    expect(readExecution(json({ effects, error: null }))).toEqual({ transactionDigest: 'TX', succeeded, raw: effects });
  });

  it('needs only the digest and the status', () => {
    const effects = { transactionDigest: 'TX', status: { status: 'success' } };
    expect(readExecution(json({ effects }))).toMatchObject({ succeeded: true });
    expect(readEffects(effects)).toBeNull();
  });

  it.each([
    ['null effects', { effects: null, error: null }],
    ['no digest', { effects: { status: { status: 'success' } } }],
    ['an unheard-of status', { effects: sponsorEffects('TX', { status: { status: 'pending' } }) }],
    ['a bare string', 'success'],
  ])('gives no outcome for %s', (_, value) => {
    expect(readExecution(json(value))).toBeNull();
  });
});

describe('readEffects', () => {
  it('reads omitted lists as empty', () => {
    expect(readEffects(sponsorEffects('TX', { modifiedAtVersions: undefined, dependencies: null }))).toMatchObject({
      modifiedAtVersions: [],
      sharedObjects: [],
      created: [],
      unwrapped: [],
      deleted: [],
      unwrappedThenDeleted: [],
      wrapped: [],
      dependencies: [],
      eventsDigest: null,
      status: { status: 'success', error: null },
    });
  });

  it('reads numbers and number texts alike, as exact text', () => {
    const effects = readEffects(
      sponsorEffects('TX', {
        executedEpoch: 12,
        modifiedAtVersions: [{ objectId: '0x1', sequenceNumber: '9007199254740993' }],
      }),
    );
    expect(effects).toMatchObject({
      executedEpoch: '12',
      modifiedAtVersions: [{ sequenceNumber: '9007199254740993' }],
      gasUsed: { computationCost: '1000000' },
    });
  });

  it('accepts a missing burned cost, which some ledgers do not report', () => {
    const { computationCostBurned: _, ...gasUsed } = sponsorEffects('TX').gasUsed;
    expect(readEffects(sponsorEffects('TX', { gasUsed }))).toMatchObject({ gasUsed: { computationCostBurned: null } });
  });
});

describe('plain endpoints', () => {
  it.each([text('OK'), text('"OK"'), text('OK\n'), json('OK')])('reads health from %j', (answer) => {
    expect(readHealth(answer)).toBe('OK');
  });

  it.each([text('<html>OK</html>'), text('OKAY'), text('OK', 500), text(''), json({ ok: true })])(
    'does not read health from %j',
    (answer) => {
      expect(readHealth(answer)).toBeNull();
    },
  );

  it.each([text('0.3.0-1a2b3c4d5e6f'), text('"0.3.0-1a2b3c4d5e6f"'), json('0.3.0-1a2b3c4d5e6f')])(
    'reads a version from %j',
    (answer) => {
      expect(readVersion(answer)).toBe('0.3.0-1a2b3c4d5e6f');
    },
  );

  it.each([text('<html></html>'), text('not a version'), text(''), json({ version: 1 }), text('1.0.0-a', 404)])(
    'does not read a version from %j',
    (answer) => {
      expect(readVersion(answer)).toBeNull();
    },
  );

  it.each([
    [text('OK'), 'ok'],
    [json('OK'), 'ok'],
    [text('Unauthorized'), null],
    [json('Unauthorized'), null],
    [text('Failed to check health: redis://user:pw@host is gone'), 'failed'],
    [text('<html>'), null],
    [text('OK', 502), null],
  ])('reads the deep health of %j as %s', (answer, health) => {
    expect(readDeepHealth(answer)).toBe(health);
  });

  it.each([
    [json({ result: 'success' }), 'success'],
    [json({ result: 'success', error: null }), 'success'],
    [json({ error: 'no' }), null],
    [json({ result: 'success' }, 500), null],
    [json({ result: 1 }), null],
  ])('reads the reload of %j as %s', (answer, reloaded) => {
    expect(readReloadResult(answer)?.result ?? null).toBe(reloaded);
  });
});
