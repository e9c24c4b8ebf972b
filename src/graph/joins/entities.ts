import {
  type GraphQLArgument,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { NetworkProfile } from '../../config/network-profile.ts';

/** A type of the ledger that other subgraphs may refer to by one key field. */
export interface LedgerEntity {
  readonly type: string;
  readonly key: string;
  readonly form: EntityKeyForm;
  /** The root field that finds an object by the key, its argument, and a member of that argument if it is an input object. */
  readonly root: { readonly field: string; readonly id: string; readonly member: string | null };
  /** The type that the root field returns. */
  readonly rootType: string;
  /** Fields that lead from the root field to the entity. */
  readonly below: readonly string[];
  /** The largest number that the argument takes. */
  readonly maxId: number;
}

export type EntityKeyForm = 'address' | 'digest' | 'number';

export const entitiesField = '_entities';
export const serviceField = '_service';
export const entityUnion = '_Entity';

/** Entities that are the gateway's own, with their keys. Only the first can be looked up, and only by its owner. */
export const ownEntities = { GasReservation: 'reservationId', RpcEvent: 'id' } as const;

interface Candidate extends Pick<LedgerEntity, 'key' | 'form'> {
  readonly fields: string | readonly string[];
  readonly ids: readonly string[];
  readonly below?: readonly string[];
}

function toCandidates({ object, address, transaction }: NetworkProfile['joins']): readonly Candidate[] {
  const byAddress = { key: 'address', form: 'address' } as const;
  const byObject = { ...byAddress, fields: object.field, ids: [object.id] };
  return [
    { ...byAddress, fields: address.field, ids: [address.id] },
    byObject,
    { key: 'digest', form: 'digest', fields: transaction.field, ids: [transaction.id] },
    { key: 'epochId', form: 'number', fields: 'epoch', ids: ['id', 'epochId'] },
    { key: 'sequenceNumber', form: 'number', fields: 'checkpoint', ids: ['id', 'sequenceNumber'] },
    { ...byObject, below: ['asMovePackage'] },
    { ...byObject, below: ['asMoveObject', 'asCoinMetadata'] },
  ];
}

/** The entities that a ledger can find. @param names the names of its root fields, from the network profile */
export function findLedgerEntities(ledger: GraphQLSchema, names: NetworkProfile['joins']): readonly LedgerEntity[] {
  return toCandidates(names).flatMap((candidate) => {
    const fields = [candidate.fields].flat().flatMap((name) => ledger.getQueryType()?.getFields()[name] ?? []);
    for (const { name, args, type } of fields) {
      const argument = args.find((each) => candidate.ids.includes(each.name));
      const start = getNamedType(type);
      const entity = isObjectType(start) ? follow(start, candidate.below ?? []) : null;
      const isServed =
        argument && entity?.getFields()[candidate.key] && args.every((each) => each === argument || isOptional(each));
      if (!isServed || !entity) continue;
      const input = getNamedType(argument.type);
      const member = isInputObjectType(input) ? candidate.key : null;
      if (isInputObjectType(input) && !input.getFields()[candidate.key]) continue;
      const idType = isInputObjectType(input) ? getNamedType(input.getFields()[candidate.key]?.type) : input;
      return {
        type: entity.name,
        key: candidate.key,
        form: candidate.form,
        root: { field: name, id: argument.name, member },
        rootType: start.name,
        below: candidate.below ?? [],
        maxId: idType?.name === 'Int' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER,
      };
    }
    return [];
  });
}

const isOptional = ({ type, defaultValue }: GraphQLArgument): boolean =>
  !isNonNullType(type) || defaultValue !== undefined;

/** The type that the fields lead to; `null` if one of them is missing or needs arguments. */
function follow(start: GraphQLObjectType, fields: readonly string[]): GraphQLObjectType | null {
  let type: unknown = start;
  for (const name of fields) {
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
    if (!field?.args.every(isOptional)) return null;
    type = getNamedType(field.type);
  }
  return isObjectType(type) ? type : null;
}

/** The root field through which a federation gateway requests entities. */
export function entitiesTypeDefs(entities: readonly LedgerEntity[]): string {
  const types = new Set([...entities.map(({ type }) => type), 'GasReservation']);
  return `
    extend type Query {
      """
      Objects of other subgraphs' responses, for federation gateways. Null for an object that the ledger does not have. At most 1000
      representations and 32 requests to the ledger in one operation.
      """
      ${entitiesField}("Type names and keys of the objects." representations: [_Any!]!): [${entityUnion}]!
    }
    "Type name and key of an object, for example { __typename: \\"Object\\", address: \\"0x2\\" }."
    scalar _Any
    "Any type with a key."
    union ${entityUnion} = ${[...types].join(' | ')}
  `;
}
