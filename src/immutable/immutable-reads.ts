import { Buffer } from 'node:buffer';
import {
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';
import type { ChunkedBody } from '../answers/find-plain-end.ts';
import { printJson } from '../json/exact-number.ts';
import { AnswerMemory } from './answer-memory.ts';
import { type AnswerShape, hasShape } from './answer-shape.ts';
import type { GivenArgument, ImmutableFields } from './immutable-fields.ts';
import { type AskingField, toImmutableSelection } from './immutable-selection.ts';
import { KeptAnswer } from './kept-answer.ts';

type Variables = Readonly<Record<string, unknown>>;

export interface ImmutableReadsOptions {
  /** How much memory answers may take; more than 0. */
  readonly maxBytes: number;
  /** How long an answer is good for, in milliseconds: what is immutable may still be pruned. */
  readonly lifeMs: number;
  /** The first one that is for a schema is the one it is read by. */
  readonly tables: readonly ImmutableFields[];
  /** The build of the ledger by its last answer. */
  readonly version: () => string;
  /** Which network the ledger is of; `null` where it does not say. Asked beside what is served, once a minute while answers come from memory. */
  readonly askNetwork: () => Promise<string | null>;
  /** Milliseconds of any clock that only goes forward. */
  readonly now: () => number;
}

/** An operation all of which is immutable, provided that its variables give what has to be given. */
export interface ImmutableRead {
  /** What answers to it are found by, besides the variables: its text, its name and its schema. */
  readonly id: number;
  /** Of its variables, in an order that does not depend on the request. */
  readonly names: readonly string[];
  readonly isGiven: (variables: Variables) => boolean;
  readonly shape: AnswerShape;
  readonly networkKeys: readonly string[];
}

/** One ask of an immutable read. */
export interface Ask {
  /** The answer from memory; `null` where the ledger has to be asked. */
  readonly kept: KeptAnswer | null;
  /** Keeps what the ledger answered, if it can be kept. @returns what is kept */
  keep(body: ChunkedBody): KeptAnswer | null;
}

/** Answers of the ledger's that never change, kept for as long as they are good. */
export interface ImmutableReads {
  /** What the text of an operation decides; `null` where anything of it may change. @param operation valid on the schema */
  prepare(
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  ): ImmutableRead | null;
  /** `null` where with these variables it may change. @param variables valid for the operation, as they were sent */
  ask(read: ImmutableRead, variables: Variables): Ask | null;
  /** Forgets everything, what is being asked at this moment included. */
  clear(): void;
  /** Memory that answers take. */
  readonly bytes: number;
}

/** What tells the network is good for this long, in milliseconds: test networks begin anew under their old address. */
const networkLifeMs = 10_000;
/** How often the ledger is asked which network it is of. */
const networkCheckMs = 60_000;
/** Larger answers are not kept: they are looked through once, in one piece. */
const maxAnswerBytes = 256 * 1024;
/** Nobody asks twice for what takes more to say. */
const maxKeyLength = 1_024;

export function createImmutableReads(options: ImmutableReadsOptions): ImmutableReads {
  const { maxBytes, lifeMs, tables, version, askNetwork, now } = options;
  const memory = new AnswerMemory(maxBytes);
  const largest = Math.min(maxAnswerBytes, Math.floor(maxBytes / 8));
  let reads = 0;
  /** Answers to what was asked in another era are not kept. */
  let era = 0;
  let network: string | null = null;
  let networkAskedAtMs = now();

  const clear = (): void => {
    era += 1;
    memory.clear();
  };
  const heardNetwork = (told: string): void => {
    networkAskedAtMs = now();
    // What was kept before it was known which network it is of may be of another one.
    if (told !== network) clear();
    network = told;
  };
  const checkNetwork = (nowMs: number): void => {
    if (nowMs - networkAskedAtMs < networkCheckMs) return;
    networkAskedAtMs = nowMs;
    // A ledger that does not answer changes nothing; it is asked again.
    askNetwork().then(
      (told) => told !== null && heardNetwork(told),
      () => {},
    );
  };

  const keep = (read: ImmutableRead, key: string, askedIn: number, body: ChunkedBody): KeptAnswer | null => {
    if (askedIn !== era || body.size > largest) return null;
    const build = version();
    const nowMs = now();
    // Of several that asked at once and share one answer, the first has kept it.
    const known = memory.find(key, build, nowMs);
    if (known) return known;
    const bytes = Buffer.concat(body.chunks as Buffer[], body.size);
    const data = toData(bytes);
    if (!hasShape(data, read.shape)) return null;
    for (const networkKey of read.networkKeys) {
      const told = (data as Variables)[networkKey];
      if (typeof told === 'string') heardNetwork(told);
    }
    const life = read.networkKeys.length > 0 ? Math.min(networkLifeMs, lifeMs) : lifeMs;
    const answer = new KeptAnswer(bytes, build, nowMs + life, key.length);
    memory.keep(key, answer);
    return answer;
  };

  return {
    prepare(schema, operation, fragments) {
      const queries = schema.getQueryType()?.getFields() ?? {};
      const table = tables.find(({ isFor }) => Object.hasOwn(queries, isFor));
      if (!table || operation.operation !== 'query') return null;
      const selection = toImmutableSelection(operation.selectionSet, { schema, fragments, table });
      if (!selection) return null;
      reads += 1;
      const { shape, networkKeys } = selection;
      const names = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
      return { id: reads, names, isGiven: toIsGiven(selection.asking, operation), shape, networkKeys };
    },
    ask(read, variables) {
      if (!read.isGiven(variables)) return null;
      const key = toKey(read, variables);
      if (key.length > maxKeyLength) return null;
      const nowMs = now();
      const kept = memory.find(key, version(), nowMs);
      if (kept) checkNetwork(nowMs);
      const askedIn = era;
      return { kept, keep: (body) => keep(read, key, askedIn, body) };
    },
    clear,
    get bytes() {
      return memory.bytes;
    },
  };
}

/** The data of an answer that has nothing else; `null` for any other. */
function toData(bytes: Buffer): unknown {
  try {
    const answer: unknown = JSON.parse(bytes.toString('utf8'));
    const members = typeof answer === 'object' && answer !== null ? Object.keys(answer) : [];
    return members.length === 1 ? (answer as { readonly data?: unknown }).data : null;
  } catch {
    return null;
  }
}

/** Two requests have one key only if their variables say the same; not all that say the same have. */
function toKey({ id, names }: ImmutableRead, variables: Variables): string {
  let key = String(id);
  for (const name of names) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    // Each begins with a letter for its kind and ends where its length or its JSON says.
    if (typeof value === 'string') key += `s${value.length}:${value}`;
    else if (value === undefined) key += 'u';
    else key += `j${printJson(value)},`;
  }
  return key;
}

function toIsGiven(
  asking: readonly AskingField[],
  { variableDefinitions = [] }: OperationDefinitionNode,
): (variables: Variables) => boolean {
  if (asking.length === 0) return () => true;
  const defaults = Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  );
  return (sent) => {
    const variables = { ...defaults, ...sent };
    return asking.every(({ field, given }) => given.some((each) => isArgumentGiven(each, field, variables)));
  };
}

function isArgumentGiven(
  { argument, member, isOrdinaryAddress }: GivenArgument,
  { arguments: given = [] }: AskingField['field'],
  variables: Record<string, unknown>,
): boolean {
  const node = given.find(({ name }) => name.value === argument);
  const value: unknown = node && valueFromASTUntyped(node.value, variables);
  if (value === undefined || value === null) return false;
  if (isOrdinaryAddress) return isOrdinary(value);
  if (member === undefined) return true;
  return typeof value === 'object' && Object.hasOwn(value, member) && (value as Variables)[member] != null;
}

/** Packages of the system have small numbers for addresses: at least half of the 32 bytes of theirs are zero. */
function isOrdinary(address: unknown): boolean {
  return typeof address === 'string' && /^0x0*[1-9a-f][\da-f]{32,}$/i.test(address);
}
