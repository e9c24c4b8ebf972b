import {
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
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

/** How a join asks the ledger, with the names that the network profile gives. */
export function toJoinForm(join: Join, names: NetworkProfile['joins'], selection: JoinSelection): JoinForm {
  const entry = names[join.target];
  return { field: entry.field, id: entry.id, version: 'version' in entry ? entry.version : undefined, selection };
}

/** What the ledger offers for a join: the type of its value, or why it cannot be served. */
export type JoinOffer = { readonly returns: string } | { readonly reason: string };

/** Looks among the ledger's root fields for the one a join reads; the profile says what it is called. */
export function findJoinOffer(join: Join, ledger: GraphQLSchema, names: NetworkProfile['joins']): JoinOffer {
  const entry = names[join.target];
  const field = ledger.getQueryType()?.getFields()[entry.field];
  if (!field) return { reason: `The ledger has no root field ${entry.field}.` };
  const wanted = [entry.id, ...('version' in entry && join.key.version ? [entry.version] : [])];
  const missing = wanted.find(
    (name) => !field.args.some((arg) => arg.name === name && isScalarType(getNamedType(arg.type))),
  );
  if (missing !== undefined) return { reason: `The ledger's ${entry.field} has no argument ${missing}.` };
  const required = field.args.find(
    (arg) => isNonNullType(arg.type) && arg.defaultValue === undefined && !wanted.includes(arg.name),
  );
  if (required) return { reason: `The ledger's ${entry.field} also needs ${required.name}.` };
  const type = isNonNullType(field.type) ? field.type.ofType : field.type;
  if (isListType(type) || !(isObjectType(type) || isInterfaceType(type)))
    return { reason: `The ledger's ${entry.field} is not an object.` };
  return { returns: type.name };
}
