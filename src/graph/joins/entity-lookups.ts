import {
  type FieldNode,
  type GraphQLError,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type SelectionNode,
} from 'graphql';
import type { Fragments } from '../../documents/selections.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import { lightError } from '../../errors/light-error.ts';
import { isObject } from '../../json/exact-json.ts';
import { argumentError, isDigest } from '../../ledger/values/check-argument.ts';
import { toCanonicalAddress } from '../../ledger/values/move-types.ts';
import { entityUnion, type LedgerEntity, ownEntities } from './entities.ts';
import type { createJoinSelections, JoinLookup, JoinSelection } from './join-document.ts';
import type { JoinAnswer } from './join-loader.ts';

export type EntityRequest =
  | { readonly kind: 'ledger'; readonly lookup: JoinLookup; readonly selected: SelectedEntity }
  | { readonly kind: 'reservation'; readonly id: string }
  /** There is nothing to look up. */
  | { readonly kind: 'failed'; readonly error: GraphQLError };

/** The selections of one `_entities` field on a type of the ledger. */
export interface SelectedEntity {
  readonly entity: LedgerEntity;
  readonly type: GraphQLObjectType;
  readonly selections: readonly SelectionNode[];
  readonly selection: JoinSelection;
}

export interface EntityReading {
  readonly entities: readonly LedgerEntity[];
  /** The whole graph, which has the union of all entities. */
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly select: ReturnType<typeof createJoinSelections>;
}

/** Maximum of entities in one operation. */
const maxRepresentations = 1_000;
/** Maximum of ledger requests for all entities of one operation. */
const maxRequests = 32;

export type ReadEntities = (representations: readonly unknown[]) => readonly EntityRequest[];

/** Prepares one `_entities` field: returns a function that parses its representations. */
export function createReadEntities(nodes: readonly FieldNode[], reading: EntityReading): ReadEntities {
  const { entities, schema, select } = reading;
  const offered = new Map(entities.map((entity) => [entity.type, entity]));
  const known = new Map<LedgerEntity, SelectedEntity>();

  const selectOf = (entity: LedgerEntity): SelectedEntity => {
    const knownEntity = known.get(entity);
    if (knownEntity) return knownEntity;
    const [type, rootType] = [schema.getType(entity.type), schema.getType(entity.rootType)];
    if (!isObjectType(type) || !isCompositeType(rootType)) throw new Error(`the graph has no type ${entity.type}`);
    const selections = selectionsOnType(type, nodes, reading);
    const asked = entity.below.reduceRight<readonly SelectionNode[]>(
      (below, name) => [toField(name, below)],
      selections.length > 0 ? selections : [toField('__typename')],
    );
    const made = { entity, type, selections, selection: select([toField(entity.root.field, asked)], rootType) };
    known.set(entity, made);
    return made;
  };

  const read = (representation: unknown): EntityRequest => {
    const { __typename: name, ...fields } = isObject(representation) ? representation : {};
    if (typeof name !== 'string') return failed('A representation must be an object with __typename.');
    if (name === 'GasReservation') {
      const id = fields[ownEntities.GasReservation];
      if (typeof id === 'string') return { kind: 'reservation', id };
      return failed(`A ${name} is found by ${ownEntities.GasReservation}.`);
    }
    const entity = offered.get(name);
    if (!entity) return failed(`This subgraph finds no entities of type ${name.slice(0, maxShown)}.`);
    const literal = toLiteral(entity, fields[entity.key]);
    if (literal === null) return failed(`The ${entity.key} of ${name} must be ${forms[entity.form]}.`);
    const selected = selectOf(entity);
    return { kind: 'ledger', lookup: toLookup(entity, literal, selected.selection), selected };
  };
  return (representations) => representations.map(read);
}

const maxShown = 64;

const forms: Readonly<Record<LedgerEntity['form'], string>> = {
  address: '0x and 1 to 64 hex digits',
  digest: 'a digest: base58 of 32 bytes',
  number: 'a whole number that the ledger takes',
};

function failed(message: string): EntityRequest {
  return { kind: 'failed', error: argumentError('representations', message) };
}

/** The key as GraphQL text. Malformed keys must not reach the ledger, which would reject all lookups of the request. */
function toLiteral({ form, maxId }: LedgerEntity, key: unknown): string | null {
  if (form === 'number') {
    const text = String(key);
    return /^\d{1,16}$/.test(text) && Number(text) <= maxId ? String(Number(text)) : null;
  }
  if (typeof key !== 'string') return null;
  const id = form === 'address' ? toCanonicalAddress(key) : isDigest(key) ? key : null;
  return id && `"${id}"`;
}

function toLookup({ root, form }: LedgerEntity, literal: string, selection: JoinSelection): JoinLookup {
  const argument = root.member === null ? literal : `{${root.member}:${literal}}`;
  const text = `${root.field}(${root.id}:${argument}){...${selection.name}}`;
  // In a plain text, JSON escapes only the two quotes.
  return { text, bytes: text.length + (form === 'number' ? 0 : 2), selection };
}

export function toField(name: string, below?: readonly SelectionNode[]): FieldNode {
  const field = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: name } } as const;
  return below ? { ...field, selectionSet: { kind: Kind.SELECTION_SET, selections: below } } : field;
}

/** The selections that apply to one type of the union. Drops fragments on its other types, because a ledger rejects them there. */
export function selectionsOnType(
  type: GraphQLNamedType,
  nodes: readonly FieldNode[],
  { schema, fragments }: Pick<EntityReading, 'schema' | 'fragments'>,
): readonly SelectionNode[] {
  const keep = (selection: SelectionNode): readonly SelectionNode[] => {
    if (selection.kind === Kind.FIELD) return [selection];
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
    if (!fragment) return [];
    const name = fragment.typeCondition?.name.value ?? entityUnion;
    const condition = schema.getType(name);
    const isPlain = selection.kind === Kind.INLINE_FRAGMENT && !selection.directives?.length;
    // Without its fragment, a selection costs one node less.
    if (condition === type) return isPlain ? fragment.selectionSet.selections : [selection];
    if (name !== entityUnion) {
      return isAbstractType(condition) && isObjectType(type) && schema.isSubType(condition, type) ? [selection] : [];
    }
    const selections = fragment.selectionSet.selections.flatMap(keep);
    if (isPlain || selections.length === 0) return selections;
    const { directives = [] } = selection;
    return [{ kind: Kind.INLINE_FRAGMENT, directives, selectionSet: { kind: Kind.SELECTION_SET, selections } }];
  };
  return nodes.flatMap(({ selectionSet }) => selectionSet?.selections.flatMap(keep) ?? []);
}

/** The ledger's response about an entity, without the fields that lead to it. */
export function toEntityAnswer(
  answer: JoinAnswer | Error,
  { entity: { below }, selections }: SelectedEntity,
): JoinAnswer | Error {
  if (answer instanceof Error || (below.length === 0 && selections.length > 0)) return answer;
  let { value } = answer;
  for (const name of below) value = isObject(value) ? value[name] : null;
  const errors = answer.errors.map(({ message, path = [], extensions }) =>
    lightError(message, { path: path.slice(below.length), extensions }),
  );
  return { value: value && selections.length === 0 ? {} : (value ?? null), errors };
}

/** Counts the lookups of the `_entities` fields of one operation. */
export class EntityBudget {
  #representations = 0;
  readonly #lookups = new Map<string, JoinLookup>();
  readonly #toGroups: (lookups: readonly JoinLookup[]) => readonly unknown[];

  /** @param toGroups divides lookups into requests */
  constructor(toGroups: (lookups: readonly JoinLookup[]) => readonly unknown[]) {
    this.#toGroups = toGroups;
  }

  get lookups(): readonly JoinLookup[] {
    return [...this.#lookups.values()];
  }

  /**
   * Parses the representations of one field.
   * @throws BAD_USER_INPUT if there are too many
   */
  take(representations: readonly unknown[], read: ReadEntities): readonly EntityRequest[] {
    this.#representations += representations.length;
    refuseAbove(maxRepresentations, this.#representations, 'representations');
    const requests = read(representations);
    for (const each of requests) if (each.kind === 'ledger') this.#lookups.set(each.lookup.text, each.lookup);
    refuseAbove(maxRequests, this.#toGroups(this.lookups).length, 'requests to the ledger');
    return requests;
  }
}

function refuseAbove(max: number, actual: number, what: string): void {
  if (actual <= max) return;
  throw gatewayError('BAD_USER_INPUT', `The entities take ${actual} ${what}, which exceeds max of ${max}`);
}
