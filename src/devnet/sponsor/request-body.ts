import { type SponsorAnswer, textAnswer } from './sponsor-answer.ts';

export interface ReserveGasBody {
  readonly gasBudget: bigint;
  readonly reserveDurationSecs: bigint;
}

export interface ExecuteTxBody {
  readonly reservationId: bigint;
  readonly txBytes: string;
  readonly userSig: string;
  readonly requestType: (typeof requestTypes)[number];
}

const requestTypes = ['waitForEffectsCert', 'waitForLocalExecution'] as const;

/** A body of the wrong shape: right JSON, but a member is missing or of another type. Answered 422 in plain text. */
export class BodyMismatch extends Error {
  override readonly name = 'BodyMismatch';

  toAnswer(): SponsorAnswer {
    return textAnswer(422, `Failed to deserialize the JSON body into the target type: ${this.message}`);
  }
}

/** @param text the body's text, which alone tells `1` from `1.0`: the service takes only the first for an integer */
export function parseReserveGasBody(value: unknown, text: string): ReserveGasBody {
  const body = toObject(value);
  return {
    gasBudget: readUnsigned(body, 'gas_budget', text),
    reserveDurationSecs: readUnsigned(body, 'reserve_duration_secs', text),
  };
}

export function parseExecuteTxBody(value: unknown, text: string): ExecuteTxBody {
  const body = toObject(value);
  return {
    reservationId: readUnsigned(body, 'reservation_id', text),
    txBytes: readString(body, 'tx_bytes'),
    userSig: readString(body, 'user_sig'),
    // The service's own name is request_type; its published contract says requestType.
    requestType: readRequestType(body.request_type ?? body.requestType),
  };
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BodyMismatch(`invalid type: ${nameOf(value)}, expected a JSON object`);
  }
  return value as Record<string, unknown>;
}

const maxU64 = 2n ** 64n - 1n;

/** JSON numbers lose precision above 2^53, so the digits are taken from the text. */
function readUnsigned(body: Readonly<Record<string, unknown>>, field: string, text: string): bigint {
  const value = body[field];
  if (value === undefined) throw new BodyMismatch(`missing field \`${field}\``);
  if (typeof value !== 'number') throw new BodyMismatch(`${field}: invalid type: ${nameOf(value)}, expected u64`);
  const literals = [...text.matchAll(new RegExp(`"${field}"\\s*:\\s*(-?[0-9][0-9.eE+-]*)`, 'g'))];
  const literal = literals.at(-1)?.[1] ?? String(value);
  if (!/^-?\d+$/.test(literal))
    throw new BodyMismatch(`${field}: invalid type: floating point \`${literal}\`, expected u64`);
  const integer = BigInt(literal);
  if (integer < 0n || integer > maxU64)
    throw new BodyMismatch(`${field}: invalid value: integer \`${literal}\`, expected u64`);
  return integer;
}

function readString(body: Readonly<Record<string, unknown>>, field: string): string {
  const value = body[field];
  if (value === undefined) throw new BodyMismatch(`missing field \`${field}\``);
  if (typeof value !== 'string') throw new BodyMismatch(`${field}: invalid type: ${nameOf(value)}, expected a string`);
  return value;
}

function readRequestType(value: unknown): ExecuteTxBody['requestType'] {
  if (value === undefined || value === null) return 'waitForEffectsCert';
  const known = requestTypes.find((name) => name === value);
  if (!known) {
    throw new BodyMismatch(
      `request_type: unknown variant \`${String(value)}\`, expected \`${requestTypes.join('` or `')}\``,
    );
  }
  return known;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'sequence';
  if (typeof value === 'object') return 'map';
  return typeof value === 'string' ? 'string' : typeof value;
}
