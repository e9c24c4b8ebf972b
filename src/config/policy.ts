import { z } from 'zod';
import { moveCallRule, toMoveCall } from './value-types.ts';

/** Commands of a programmable transaction, as in `commands.allow`. */
export const commandNames = [
  'moveCall',
  'transferObjects',
  'splitCoins',
  'mergeCoins',
  'makeMoveVec',
  'publish',
  'upgrade',
] as const;

export type CommandName = (typeof commandNames)[number];

/**
 * What the sponsored transactions of a client may do and spend. Amounts are in the smallest unit of the gas coin, days are UTC
 * days; `null` = no bound. Plain JSON, because workers receive it as a message.
 */
export interface Policy {
  readonly gas: {
    /** Of all visitors together. */
    readonly perDay: number | null;
    readonly perSenderPerDay: number | null;
    /** `null` = a share of `perDay`, or no bound without it. */
    readonly perVisitorPerDay: number | null;
    /** The largest gas budget of one transaction. */
    readonly perTransaction: number | null;
    /** The largest storage cost of one transaction, its storage rebate subtracted, as the ledger simulates it. */
    readonly storage: number | null;
  };
  readonly transactions: { readonly perSenderPerDay: number | null; readonly perVisitorPerDay: number | null };
  /** Reservations that have neither expired nor been executed. */
  readonly openReservations: {
    /** `null` = 100, or more for a visitor with a high rate limit; no bound without a rate limit. */
    readonly perVisitor: number | null;
    readonly inAll: number | null;
  };
  readonly reservation: {
    readonly maxDurationSecs: number | null;
    /** Must `reserveGas` name the sender? */
    readonly needsSender: boolean;
  };
  /** Addresses as 0x and 64 digits in lower case. */
  readonly senders: { readonly allow: readonly string[] | null; readonly deny: readonly string[] | null };
  /**
   * Calls that a transaction may make, the package as 0x and 64 digits: `package::module::function`, `package::module` or
   * `package`.
   */
  readonly moveCalls: readonly string[] | null;
  readonly commands: {
    /** `null` = all; with `moveCalls`, none of those that create objects. */
    readonly allow: readonly CommandName[] | null;
    /** The most commands of one transaction. */
    readonly max: number | null;
  };
  /** Milliseconds since the Unix epoch: nothing is sponsored before, or from then on. */
  readonly fromMs: number | null;
  readonly untilMs: number | null;
}

/** What a key, and each visitor of it, may use of the gateway; `null` = the gateway's own limits. */
export interface Shares {
  readonly rate: {
    /** Attempts a minute of all visitors; 0 = no limit. */
    readonly perMinute: number | null;
    readonly perVisitorPerMinute: number | null;
  };
  /** Live streams at once. */
  readonly streams: { readonly max: number | null; readonly perVisitor: number | null };
  /** Readers of live streams at once. */
  readonly readers: { readonly max: number | null; readonly perVisitor: number | null };
}

/** A policy that several clients share: an entry of `policies`. */
export interface NamedPolicy extends Shares {
  readonly id: string;
  readonly policy: Policy;
}

/** The name of the policy of callers without a credential. */
export const anonymousPolicy = 'default';

/** The names of those who share one credential or policy: all their visitors together are counted under them. */
export const groups = {
  client: (id: string) => `client:${id}`,
  anonymous: 'anonymous',
  jwt: 'jwt',
  jwtPolicy: (id: string) => `jwt-policy:${id}`,
};

export const noPolicy: Policy = {
  gas: { perDay: null, perSenderPerDay: null, perVisitorPerDay: null, perTransaction: null, storage: null },
  transactions: { perSenderPerDay: null, perVisitorPerDay: null },
  openReservations: { perVisitor: null, inAll: null },
  reservation: { maxDurationSecs: null, needsSender: false },
  senders: { allow: null, deny: null },
  moveCalls: null,
  commands: { allow: null, max: null },
  fromMs: null,
  untilMs: null,
};

export const noShares: Shares = {
  rate: { perMinute: null, perVisitorPerMinute: null },
  streams: { max: null, perVisitor: null },
  readers: { max: null, perVisitor: null },
};

/** The part of a daily total that one visitor may use, unless the policy says otherwise. */
const visitorsPerDay = 4;
/** The part of a rate limit that one visitor may use, unless it is set. */
const visitorsPerMinute = 2;
/**
 * Open reservations of one visitor, unless the policy says otherwise: these, or what it may reserve in so many seconds. Enough for
 * an office behind one address, and a tenth of the coins of a small sponsor.
 */
const [usualOpen, openSeconds] = [100, 10];

/** What one visitor may send a minute: 0 = no limit; `null` = the general limit. */
export function toVisitorRate({ rate: { perMinute, perVisitorPerMinute } }: Shares): number | null {
  return perVisitorPerMinute ?? (perMinute === null ? null : Math.ceil(perMinute / visitorsPerMinute));
}

/**
 * Adds the shares of a visitor that the policy leaves open, so that one visitor cannot use up what is for all.
 * @param perMinute what the visitor may send a minute; 0 = no limit
 */
export function withVisitorShares(policy: Policy, perMinute: number): Policy {
  const { gas, openReservations } = policy;
  const perVisitorPerDay =
    gas.perVisitorPerDay ?? (gas.perDay === null ? null : Math.ceil(gas.perDay / visitorsPerDay));
  const usual = perMinute === 0 ? null : Math.max(usualOpen, Math.ceil((perMinute * openSeconds) / 60));
  const perVisitor = openReservations.perVisitor ?? usual;
  return {
    ...policy,
    gas: { ...gas, perVisitorPerDay },
    openReservations: {
      ...openReservations,
      perVisitor: perVisitor !== null && perVisitor > maxOpen ? null : perVisitor,
    },
  };
}

// Forms in the file ---------------------------------------------------------------------------

const maxPerMinute = 1_000_000_000;
const longestReservationSecs = 600;

const count = (min: number, max: number, unit: string) => {
  const rule = `an integer from ${min} to ${max} (${unit})`;
  return z.int(rule).min(min, rule).max(max, rule).optional();
};
// Not 0, which stands for no limit.
const gasRule = `an integer from 1 to ${Number.MAX_SAFE_INTEGER} (of the smallest unit of the gas coin), or none of this key`;
const gas = z.int(gasRule).min(1, gasRule).optional();
const attempts = count(0, maxPerMinute, 'attempts a minute');
const daily = count(1, maxPerMinute, 'transactions a day');
/** A caller can hold no more in any case: see the bounds of the store. */
const maxOpen = 20_000;
const open = count(1, maxOpen, 'reservations');
const streams = count(0, 1_000_000, 'streams');
const readers = count(0, 10_000, 'readers');
const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.strictObject(shape, 'an object').optional();

const addressRule = 'an address of up to 64 hexadecimal digits, in quotes, like "0xabc"';
const addresses = z.array(
  z
    .string(addressRule)
    .refine((text) => toAddress(text) !== undefined, addressRule)
    .transform((text) => toAddress(text) ?? text),
  'a list of addresses, or the path of a file with one address a line',
);
const senders = z.union([z.string().min(1), addresses], 'a list of addresses, or the path of a file').optional();
const timeRule = 'a time like 2027-01-31T00:00:00Z';
const time = z
  .string(timeRule)
  .refine((text) => toTime(text) !== undefined, timeRule)
  .transform((text) => toTime(text) ?? 0)
  .optional();

/** The members that a client and a named policy have in common. */
export const policyShape = {
  rate: object({ perMinute: attempts, perVisitorPerMinute: attempts }),
  streams: object({ max: streams, perVisitor: streams }),
  readers: object({ max: readers, perVisitor: readers }),
  gas: z
    .strictObject(
      { perDay: gas, perSenderPerDay: gas, perVisitorPerDay: gas, perTransaction: gas, storage: gas },
      'an object',
    )
    .refine((written) => Object.keys(written).length > 0, { path: ['perDay'], message: gasRule })
    .optional(),
  transactions: object({ perSenderPerDay: daily, perVisitorPerDay: daily }),
  openReservations: object({ perVisitor: open, inAll: open }),
  reservation: object({
    maxDurationSecs: count(1, longestReservationSecs, 'seconds'),
    needsSender: z.boolean('true or false').optional(),
  }),
  senders: object({ allow: senders, deny: senders }),
  moveCalls: z
    .array(
      z
        .string(moveCallRule)
        .refine((text) => toMoveCall(text) !== undefined, moveCallRule)
        .transform((text) => toMoveCall(text) ?? text),
      'a list of what may be called',
    )
    .optional(),
  commands: object({
    allow: z.array(z.enum(commandNames), `a list of ${commandNames.join(', ')}`).optional(),
    max: count(1, 1_024, 'commands'),
  }),
  from: time,
  until: time,
};

/** The names that this part of an entry may have, for messages. */
export const policyNames = Object.entries(policyShape).flatMap(([name, schema]) => {
  const inner: unknown = schema.unwrap();
  return inner instanceof z.ZodObject ? Object.keys(inner.shape).map((member) => `${name}.${member}`) : [name];
});

const policySchema = z.strictObject(policyShape, 'an object');
export type WrittenPolicy = z.infer<typeof policySchema>;

/** Paths of files with addresses. */
export function filesOf({ senders }: WrittenPolicy): string[] {
  return [senders?.allow, senders?.deny].filter((list) => typeof list === 'string');
}

/**
 * The parsed form. Members that are not written keep their values.
 * @param readAddresses reads a file that a list of senders names
 */
export function toPolicy(
  written: WrittenPolicy,
  readAddresses: (path: string) => readonly string[],
  { policy, ...shares }: Shares & { readonly policy: Policy } = { ...noShares, policy: noPolicy },
): Shares & { readonly policy: Policy } {
  const listOf = (list: string | string[] | undefined) =>
    list === undefined ? undefined : [...new Set(typeof list === 'string' ? readAddresses(list) : list)];
  const { from, until, moveCalls } = written;
  return {
    rate: merge(shares.rate, written.rate),
    streams: merge(shares.streams, written.streams),
    readers: merge(shares.readers, written.readers),
    policy: {
      gas: merge(policy.gas, written.gas),
      transactions: merge(policy.transactions, written.transactions),
      openReservations: merge(policy.openReservations, written.openReservations),
      reservation: merge(policy.reservation, written.reservation),
      senders: merge(policy.senders, {
        allow: listOf(written.senders?.allow),
        deny: listOf(written.senders?.deny),
      }),
      moveCalls: moveCalls ? [...new Set(moveCalls)] : policy.moveCalls,
      commands: merge(policy.commands, written.commands),
      fromMs: from ?? policy.fromMs,
      untilMs: until ?? policy.untilMs,
    },
  };
}

function merge<Part extends object>(
  usual: Part,
  written: { [Name in keyof Part]?: Part[Name] | undefined } = {},
): Part {
  const given = Object.entries(written).filter(([, value]) => value !== undefined);
  return { ...usual, ...Object.fromEntries(given) };
}

/** Parses a file of addresses: one a line; empty lines and those that begin with `#` are skipped. `null` if a line is none. */
export function parseAddresses(text: string): readonly string[] | null {
  const lines = text.split('\n').map((line) => line.trim());
  const found = lines.filter((line) => line !== '' && !line.startsWith('#')).map(toAddress);
  return found.every((address) => address !== undefined) ? found : null;
}

function toAddress(text: string): string | undefined {
  const digits = /^0x([\da-f]{1,64})$/i.exec(text.trim())?.[1];
  return digits === undefined ? undefined : `0x${digits.toLowerCase().padStart(64, '0')}`;
}

function toTime(text: string): number | undefined {
  const atMs = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}
