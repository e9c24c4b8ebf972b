import {
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import type { NetworkProfile } from '../../config/network-profile.ts';
import { reservedAliasPrefix } from '../../documents/validation/validate-document.ts';
import { ExactNumber } from '../../json/exact-json.ts';
import { toCanonicalAddress } from '../../ledger/values/move-types.ts';

type JoinTarget = keyof NetworkProfile['joins'];

/** A field of the gateway whose value is the ledger's. */
export interface Join {
  readonly type: string;
  readonly field: string;
  /** What it reads; the network profile names the ledger's root fields for it. */
  readonly target: JoinTarget;
  /** The gateway's fields that form the key: the id, and for an object its version. */
  readonly key: { readonly id: string; readonly version?: string };
  readonly description: string;
  /** May the caller wait for the ledger's indexer to catch up? */
  readonly waits: boolean;
}

const object = {
  field: 'object',
  target: 'object',
  key: { id: 'objectId', version: 'version' },
  waits: false,
} as const;
const address = { target: 'address', waits: false } as const;
const transaction = {
  field: 'transactionBlock',
  target: 'transaction',
  waits: false,
  description: 'The transaction in the ledger; null if the ledger does not have it.',
} as const;
const ofSponsor = "The sponsor's address in the ledger.";
const ofSender = "The sender's address in the ledger.";
const ofEvent = 'The transaction that emitted the event; null if the ledger does not have it.';

export const joins: readonly Join[] = [
  { ...object, type: 'ReservedGasCoin', description: 'The coin in the ledger, at this version; null if unknown.' },
  { ...object, type: 'SponsoredObjectRef', description: 'The object in the ledger, at this version; null if unknown.' },
  { ...address, type: 'GasReservation', field: 'sponsor', key: { id: 'sponsorAddress' }, description: ofSponsor },
  { ...address, type: 'RpcEvent', field: 'senderAddress', key: { id: 'sender' }, description: ofSender },
  { ...transaction, type: 'ExecuteTxResult', key: { id: 'digest' }, waits: true },
  { ...transaction, type: 'SponsoredEffects', key: { id: 'transactionDigest' }, waits: true },
  { ...transaction, type: 'RpcEvent', key: { id: 'txDigest' }, description: ofEvent },
  { ...transaction, type: 'RpcTransaction', key: { id: 'digest' } },
];

/** Is this field of the gateway a join? */
export const isJoin = (type: string, field: string): boolean =>
  joins.some((join) => join.type === type && join.field === field);

export const joinName = ({ type, field }: Join): string => `join:${type}.${field}`;

/** A root field of the ledger that serves a join. */
export interface JoinRoot {
  readonly field: string;
  /** The root field's arguments for the id and, if the join has one, for the version. */
  readonly id: string;
  readonly version?: string | undefined;
  /** Name of the type that the root field returns. */
  readonly returns: string;
}

/** A join that the ledger can serve. */
export interface ServedJoin extends Join {
  readonly root: JoinRoot;
}

/** The ledger's root field for a join, or why there is none. */
export type JoinOffer = JoinRoot | { readonly reason: string };

/** Finds the root field that a join reads. @param names the names that it may have, from the network profile */
export function findJoinOffer(join: Join, ledger: GraphQLSchema, names: NetworkProfile['joins']): JoinOffer {
  const entry = names[join.target];
  const known = [entry.field].flat();
  const version = 'version' in entry && join.key.version ? entry.version : undefined;
  const fields = known.flatMap((name) => ledger.getQueryType()?.getFields()[name] ?? []);
  const offers = fields.map((field) => toOffer(field, entry.id, version));
  return (
    offers.find((offer) => 'field' in offer) ??
    offers[0] ?? { reason: `The ledger has no root field ${known.join(' or ')}.` }
  );
}

function toOffer(field: GraphQLField<unknown, unknown>, id: string, version: string | undefined): JoinOffer {
  const { name, args } = field;
  const wanted = version === undefined ? [id] : [id, version];
  const missing = wanted.find((each) => !args.some((arg) => arg.name === each && isScalarType(getNamedType(arg.type))));
  if (missing !== undefined) return { reason: `The ledger's ${name} has no argument ${missing}.` };
  const required = args.find(
    (arg) => isNonNullType(arg.type) && arg.defaultValue === undefined && !wanted.includes(arg.name),
  );
  if (required) return { reason: `The ledger's ${name} also needs ${required.name}.` };
  const type = isNonNullType(field.type) ? field.type.ofType : field.type;
  if (isListType(type) || !(isObjectType(type) || isInterfaceType(type)))
    return { reason: `The ledger's ${name} is not an object.` };
  return { field: name, id, version, returns: type.name };
}

/** Identifies the ledger value that a join is about. */
export interface JoinKey {
  readonly id: string;
  /** Decimal digits: a version takes 64 bits, more than a JavaScript number holds. */
  readonly version?: string | undefined;
}

/** A join key of typical length, for estimates. */
export function sampleJoinKey({ target }: Join): JoinKey {
  return { id: target === 'transaction' ? '1'.repeat(44) : `0x${'1'.repeat(64)}`, version: '1000000' };
}

/**
 * Joins select the fields of their key under reserved aliases, so that no alias of the client, and no other join of the same
 * type, can replace them.
 */
const idAlias = ({ field }: Join): string => `${reservedAliasPrefix}Id_${field}`;
const versionAlias = ({ field }: Join): string => `${reservedAliasPrefix}Version_${field}`;

/** The fields that a join needs of its parent, as a selection set. */
export function joinSelectionSet(join: Join): string {
  const { id, version } = join.key;
  return `{ ${idAlias(join)}: ${id} ${version ? `${versionAlias(join)}: ${version}` : ''} }`;
}

/**
 * Returns a function that reads the key from the fields of `joinSelectionSet`, or from a whole value, such as a stream's item.
 */
export function createReadJoinKey(join: Join) {
  const [id, version] = [idAlias(join), versionAlias(join)];
  const { key } = join;
  // Digests have one form. Upstreams may shorten addresses.
  const toId = join.target === 'transaction' ? String : toWholeAddress;
  return (selected: Readonly<Record<string, unknown>>): JoinKey => {
    if (!(id in selected)) {
      return { id: toId(selected[key.id]), version: key.version && toDigits(selected[key.version]) };
    }
    return { id: toId(selected[id]), version: toDigits(selected[version]) };
  };
}

function toWholeAddress(value: unknown): string {
  const text = String(value);
  return toCanonicalAddress(text) ?? text;
}

/** Above 2^53 a version is text, or an exact number. */
function toDigits(version: unknown): string | undefined {
  const isOne = typeof version === 'number' || typeof version === 'string' || version instanceof ExactNumber;
  if (!isOne) return undefined;
  const text = String(version);
  return /^\d+$/.test(text) ? text : undefined;
}
