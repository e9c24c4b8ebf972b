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
import type { JoinForm } from './join-document.ts';
import type { JoinSelection } from './join-selection.ts';

type JoinTarget = keyof NetworkProfile['joins'];

/**
 * An own field whose value is the ledger's: which root field of the ledger it reads, and which own fields make its
 * key.
 */
export interface Join {
  readonly type: string;
  readonly field: string;
  readonly target: JoinTarget;
  /** The own fields that make the key: the id, and for an object its version. */
  readonly key: { readonly id: string; readonly version?: string };
  readonly description: string;
  /** May the caller wait for the ledger's indexer to catch up? */
  readonly waits: boolean;
}

const object = { target: 'object', waits: false } as const;
const transaction = { target: 'transaction', waits: false } as const;

export const joins: readonly Join[] = [
  {
    ...object,
    type: 'ReservedGasCoin',
    field: 'object',
    key: { id: 'objectId', version: 'version' },
    description: "The ledger's view of the coin, at this version.",
  },
  {
    ...object,
    type: 'SponsoredObjectRef',
    field: 'object',
    key: { id: 'objectId', version: 'version' },
    description: "The ledger's view of the object, at this version.",
  },
  {
    target: 'address',
    waits: false,
    type: 'GasReservation',
    field: 'sponsor',
    key: { id: 'sponsorAddress' },
    description: "The ledger's view of the sponsor's address.",
  },
  {
    target: 'address',
    waits: false,
    type: 'RpcEvent',
    field: 'senderAddress',
    key: { id: 'sender' },
    description: "The ledger's view of the sender.",
  },
  {
    ...transaction,
    waits: true,
    type: 'ExecuteTxResult',
    field: 'transactionBlock',
    key: { id: 'digest' },
    description: "The ledger's view of the transaction.",
  },
  {
    ...transaction,
    waits: true,
    type: 'SponsoredEffects',
    field: 'transactionBlock',
    key: { id: 'transactionDigest' },
    description: "The ledger's view of the transaction.",
  },
  {
    ...transaction,
    type: 'RpcEvent',
    field: 'transactionBlock',
    key: { id: 'txDigest' },
    description: "The ledger's view of the transaction that emitted the event.",
  },
  {
    ...transaction,
    type: 'RpcTransaction',
    field: 'transactionBlock',
    key: { id: 'digest' },
    description: "The ledger's view of the transaction.",
  },
];

/** Is this field of ours looked up in the ledger? */
export const isJoin = (type: string, field: string): boolean =>
  joins.some((join) => join.type === type && join.field === field);

export const joinName = ({ type, field }: Join): string => `join:${type}.${field}`;

/** A root field of the ledger that serves a join. */
export interface JoinRoot {
  readonly field: string;
  /** Its arguments for the id and, where the join has one, for the version. */
  readonly id: string;
  readonly version: string | undefined;
  /** Name of its type. */
  readonly returns: string;
}

/** A join that the ledger can serve. */
export interface ServedJoin extends Join {
  readonly root: JoinRoot;
}

/** How a join asks the ledger. */
export function toJoinForm({ root }: ServedJoin, selection: JoinSelection): JoinForm {
  const { field, id, version } = root;
  return { field, id, version, selection };
}

/** What the ledger offers for a join: the root field to read, or why there is none. */
export type JoinOffer = JoinRoot | { readonly reason: string };

/**
 * Looks in the ledger's schema for the root field that a join reads.
 * @param names the names that it may have, from the network profile; the schema tells which one is there and can be asked
 */
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
