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
 * Something the ledger has. `live`: everything about it is another at every tick, but what names it; `pending`: not final at
 * the first tick, and otherwise than it becomes; `fixed`: as it is.
 */
interface Thing {
  readonly id: string;
  readonly state: 'live' | 'pending' | 'fixed';
}

/** What a ledger may answer otherwise from one moment to the next, even of what is over. */
const liveFields =
  /^(display|displayLive|dynamic\w*|multiGet\w*|balances?|coins|objects|objectAt|objectVersions\w*|received\w*|staked\w*|\w*Suins\w*|suins\w*|iotaNames\w*|ledgerNames\w*|indexedOnNode|validatorSet|storageFund|safeMode|system\w*|\w*TotalSupply|\w*TreasuryCapId|liveObjectSetDigest|coinDenyList|latestPackage|package(Versions|At)\w*|parent|asAddress|asObject|gasPayment|supply\w*|stake\w*|estimatedReward|query|cursor|startCursor|endCursor|checkpoints|sendingModule|transactionModule)$/;
/** Whoever they are, they go on. */
const liveTypes = /^(Address|IOwner|Validator|ValidatorSet|ValidatorConnection|Balance)$/;
/** What names a thing for ever, whatever becomes of it. */
const naming: Readonly<Record<string, readonly string[]>> = {
  TransactionBlock: ['digest'],
  Transaction: ['digest'],
  Epoch: ['epochId'],
  MoveModule: ['name'],
};

/**
 * Answers any document on a schema as a ledger that changes whatever it may between two ticks, and what is not known yet at
 * the first tick becomes known at the second. What it says of one thing at one tick is always the same.
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
  // The moment that a transaction became final, and an epoch ended.
  const tellsEnd = ['checkpoint', 'timestamp', 'endTimestamp'].includes(fieldName);
  if (parent.state === 'pending' && tellsEnd && tick === 0) return null;
  const state = isRoot ? rootState(fieldName, args) : stateBelow(parent, info, args);
  const thing: Thing = { id: `${parent.id}/${fieldName}${JSON.stringify(args)}`, state };
  const keys = isRoot ? (args.keys ?? args.digests) : null;
  // What is asked for by a list of keys has an item for each.
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

/** Every third transaction is not final at first, and every third epoch not over. */
function pendingOrFixed(id: unknown): Thing['state'] {
  return digest(JSON.stringify(id)) % 3 === 0 ? 'pending' : 'fixed';
}

function rootState(field: string, args: Record<string, unknown>): Thing['state'] {
  const id = args.id as Record<string, unknown> | number | null | undefined;
  const hasId = typeof id === 'object' ? id !== null && (id.digest ?? id.sequenceNumber) != null : id !== undefined;
  const hasNumber = (args.sequenceNumber ?? args.version ?? args.protocolVersion) != null;
  // The addresses of the packages of the system are small.
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
  // Of an object it says what is still kept of it; of a transaction, how it went.
  const isStatus = field === 'status' && !parentType.name.endsWith('Effects');
  if (parent.state === 'live' || isPinned || isStatus || liveFields.test(field) || isLiveType(named)) return 'live';
  // Code of the system is replaced under its address; only what has been published by itself stays.
  if (field === 'function' && !('name' in args)) return 'live';
  if (parent.state === 'pending') return 'pending';
  return named.name === 'Epoch' ? pendingOrFixed(parent.id + field) : 'fixed';
}

/** One schema calls an account an owner, another one whatever way there is of owning. */
function isLiveType(type: GraphQLNamedType): boolean {
  return liveTypes.test(type.name) || (type.name === 'Owner' && isObjectType(type));
}

function sayOf(type: GraphQLOutputType, thing: Thing, tick: number): unknown {
  const chance = digest(`${thing.id}?`) % 120;
  if (!isNonNullType(type)) {
    // Never known, and not known yet.
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
  /** 0 at first; whatever may be otherwise is otherwise at another one. */
  tick: number;
  /** In the header of its answers. */
  version: string;
  /** What was asked, but for its schema and its service. */
  readonly requests: MovingRequest[];
  /** Answers this way instead; `undefined`: as ever. */
  override: ((request: MovingRequest, res: ServerResponse) => boolean) | undefined;
}

/** Such a ledger, over HTTP. */
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

/** A document of one operation, as its readers know it. */
export function treeOf(text: string): ReadTree {
  const { operations, fragments } = toExecutableDocument(parse(text));
  const [operation] = operations;
  if (!operation) throw new Error('there is no operation');
  return { operation, fragments };
}
