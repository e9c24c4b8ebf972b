import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type ExecutionResult,
  execute,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
} from 'graphql';
import { toExecutableDocument } from '../../src/documents/selections.ts';
import type { ReadTree } from '../../src/ledger/immutable/immutable-selection.ts';

export interface MovingRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly operationName?: string | null | undefined;
}

/**
 * An object of the ledger. `live`: all its fields change at every tick, except its id. `pending`: not final at the first
 * tick, and different until it is final. `fixed`: never changes.
 */
interface Thing {
  readonly id: string;
  readonly state: 'live' | 'pending' | 'fixed';
}

/** Fields whose values may change at any time, even for finished things. */
const liveFields =
  /^(display|displayLive|dynamic\w*|multiGet\w*|balances?|coins|objects|objectAt|objectVersions\w*|received\w*|staked\w*|\w*Suins\w*|suins\w*|iotaNames\w*|ledgerNames\w*|indexedOnNode|validatorSet|storageFund|safeMode|system\w*|\w*TotalSupply|\w*TreasuryCapId|liveObjectSetDigest|coinDenyList|latestPackage|package(Versions|At)\w*|parent|asAddress|asObject|gasPayment|supply\w*|stake\w*|estimatedReward|query|cursor|startCursor|endCursor|checkpoints|sendingModule|transactionModule)$/;
/** Accounts always change. */
const liveTypes = /^(Address|IOwner|Validator|ValidatorSet|ValidatorConnection|Balance)$/;
/** The id of a thing, which never changes. */
const naming: Readonly<Record<string, readonly string[]>> = {
  TransactionBlock: ['digest'],
  Transaction: ['digest'],
  Epoch: ['epochId'],
  MoveModule: ['name'],
};

/**
 * Returns data for any document and schema, as a ledger would whose mutable fields change at every tick. Pending things
 * become final at the second tick. One thing at one tick always has the same values.
 */
export function answerAt(schema: GraphQLSchema, tick: number, { query, variables, operationName }: MovingRequest) {
  const result = execute({
    schema,
    document: parse(query),
    variableValues: variables ? { ...variables } : null,
    operationName: operationName ?? null,
    fieldResolver: (source: Thing | undefined, args, _context, info) => resolveField(source, args, info, tick),
    typeResolver: (thing: Thing, _context, _info, type) => {
      const possible = schema.getPossibleTypes(type);
      return possible[digest(stamp(thing, tick)) % possible.length]?.name;
    },
  });
  return result as ExecutionResult;
}

function resolveField(
  source: Thing | undefined,
  args: Record<string, unknown>,
  info: GraphQLResolveInfo,
  tick: number,
) {
  const { fieldName, parentType, returnType } = info;
  if (parentType.name === 'ServiceConfig') {
    if (isListType(getNullableType(returnType))) return [];
    return fieldName.endsWith('PageSize') ? 20 : 100_000_000;
  }
  const isRoot = parentType.name === 'Query';
  const parent: Thing = isRoot ? { id: 'root', state: 'fixed' } : (source as Thing);
  if (isLeafType(getNamedType(returnType)) && isNaming(parentType.name, fieldName)) {
    return sayOf(returnType, { id: `${parent.id}/${fieldName}`, state: 'fixed' }, tick);
  }
  // The time when a transaction became final, or an epoch ended.
  const tellsEnd = ['checkpoint', 'timestamp', 'endTimestamp'].includes(fieldName);
  if (parent.state === 'pending' && tellsEnd && tick === 0) return null;
  const state = isRoot ? rootState(fieldName, args) : stateBelow(parent, info, args);
  const thing: Thing = { id: `${parent.id}/${fieldName}${JSON.stringify(args)}`, state };
  const keys = isRoot ? (args.keys ?? args.digests) : null;
  // A field with a list of keys returns one item per key.
  return Array.isArray(keys)
    ? keys.map(() => sayOf(itemType(returnType), thing, tick))
    : sayOf(returnType, thing, tick);
}

function itemType(type: GraphQLOutputType): GraphQLOutputType {
  const plain = getNullableType(type);
  return isListType(plain) ? plain.ofType : plain;
}

function isNaming(type: string, field: string): boolean {
  return field === 'address' || (naming[type]?.includes(field) ?? false);
}

/** Every third transaction is not final at first, and every third epoch has not ended. */
function pendingOrFixed(id: unknown): Thing['state'] {
  return digest(JSON.stringify(id)) % 3 === 0 ? 'pending' : 'fixed';
}

function rootState(field: string, args: Record<string, unknown>): Thing['state'] {
  const id = args.id as Record<string, unknown> | number | null | undefined;
  const hasId = typeof id === 'object' ? id !== null && (id.digest ?? id.sequenceNumber) != null : id !== undefined;
  const hasNumber = (args.sequenceNumber ?? args.version ?? args.protocolVersion) != null;
  // System packages have small addresses.
  const isOrdinary = /^0x0*[1-9a-f][\da-f]{40}/i.test(String(args.address));
  if (/^(transactionBlock|transaction|transactionEffects)$/.test(field)) return pendingOrFixed(args.digest);
  if (/^(transactionBlocksByDigests|multiGetTransaction\w*)$/.test(field))
    return pendingOrFixed(args.digests ?? args.keys);
  if (field === 'epoch') return hasId || args.epochId != null ? pendingOrFixed(args) : 'live';
  if (field === 'multiGetEpochs') return pendingOrFixed(args.keys);
  if (field === 'checkpoint') return hasId || hasNumber ? 'fixed' : 'live';
  if (field === 'object') return hasNumber && args.rootVersion == null && args.atCheckpoint == null ? 'fixed' : 'live';
  if (field === 'package') return (hasNumber || isOrdinary) && args.atCheckpoint == null ? 'fixed' : 'live';
  if (/^protocolConfigs?$/.test(field)) return hasNumber ? 'fixed' : 'live';
  return /^(chainIdentifier|type|multiGetTypes|multiGetCheckpoints)$/.test(field) ? 'fixed' : 'live';
}

function stateBelow(
  parent: Thing,
  { fieldName: field, parentType, returnType }: GraphQLResolveInfo,
  args: Record<string, unknown>,
): Thing['state'] {
  const isPinned = Object.keys(args).some((name) => !['first', 'last', 'name', 'key'].includes(name));
  const named = getNamedType(returnType);
  // For an object: whether it is still stored. For a transaction: its status.
  const isStatus = field === 'status' && !parentType.name.endsWith('Effects');
  if (parent.state === 'live' || isPinned || isStatus || liveFields.test(field) || isLiveType(named)) return 'live';
  // System packages are replaced under their address; user packages never change.
  if (field === 'function' && !('name' in args)) return 'live';
  if (parent.state === 'pending') return 'pending';
  return named.name === 'Epoch' ? pendingOrFixed(parent.id + field) : 'fixed';
}

/** One schema has owners as accounts, the other as kinds of ownership. */
function isLiveType(type: GraphQLNamedType): boolean {
  return liveTypes.test(type.name) || (type.name === 'Owner' && isObjectType(type));
}

function sayOf(type: GraphQLOutputType, thing: Thing, tick: number): unknown {
  const chance = digest(`${thing.id}?`) % 120;
  if (!isNonNullType(type)) {
    // Null for ever, or null for now.
    if (chance === 0 || (chance === 1 && tick === 0)) return null;
  }
  const plain = isNonNullType(type) ? type.ofType : type;
  if (isListType(plain)) {
    const length = digest(stamp(thing, tick)) % 3;
    return Array.from({ length }, (_, index) => sayOf(plain.ofType, { ...thing, id: `${thing.id}[${index}]` }, tick));
  }
  if (isObjectType(plain) || isAbstractType(plain)) return thing;
  const value = digest(stamp(thing, tick));
  if (isEnumType(plain)) return plain.getValues()[value % plain.getValues().length]?.value;
  const scalars: Readonly<Record<string, unknown>> = {
    Int: value % 1_000,
    UInt53: value,
    Boolean: value % 2 === 0,
    JSON: { option: null, value },
    MoveData: { Vector: [null, value] },
  };
  return Object.hasOwn(scalars, plain.name) ? scalars[plain.name] : `v${value}`;
}

function stamp({ id, state }: Thing, tick: number): string {
  if (state === 'live') return `${id}@${tick}`;
  return state === 'pending' && tick === 0 ? `${id}@pending` : id;
}

/** FNV-1a */
function digest(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}

export interface MovingLedger extends AsyncDisposable {
  readonly url: string;
  /** Starts at 0. Mutable fields have other values at each tick. */
  tick: number;
  /** Sent in its response headers. */
  version: string;
  /** Documents received, without introspection and `serviceConfig`. */
  readonly requests: MovingRequest[];
  /** Replaces the response; `undefined`: the usual one. */
  override: ((request: MovingRequest, res: ServerResponse) => boolean) | undefined;
}

/** The same ledger, over HTTP. */
export async function startMovingLedger(schema: GraphQLSchema): Promise<MovingLedger> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const request = JSON.parse(Buffer.concat(chunks).toString()) as MovingRequest;
      const isAboutItself = /__schema|serviceConfig/.test(request.query);
      if (!isAboutItself) ledger.requests.push(request);
      res.setHeader('x-ledger-rpc-version', ledger.version).setHeader('x-iota-rpc-version', ledger.version);
      res.setHeader('x-sui-rpc-version', ledger.version).setHeader('content-type', 'application/json');
      if (!isAboutItself && ledger.override?.(request, res)) return;
      res.end(JSON.stringify(answerAt(schema, ledger.tick, request)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ledger: MovingLedger = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    tick: 0,
    version: '2026.11.0-moving',
    requests: [],
    override: undefined,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return ledger;
}

/** A document with one operation, as the immutable reads see it. */
export function treeOf(text: string): ReadTree {
  const { operations, fragments } = toExecutableDocument(parse(text));
  const [operation] = operations;
  if (!operation) throw new Error('there is no operation');
  return { operation, fragments };
}
