import { Buffer } from 'node:buffer';
import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { printJson } from '../../json/exact-json.ts';
import type { ChunkedBody } from '../answers/plain-answer.ts';
import { AnswerMemory, CachedAnswer } from './answer-memory.ts';
import { type AnswerShape, countKeys, hasShape } from './answer-shape.ts';
import type { ImmutableFields } from './immutable-fields.ts';
import { type ImmutableSelection, type ReadTree, toImmutableSelection } from './immutable-selection.ts';

type Variables = Readonly<Record<string, unknown>>;

/** A memory of the ledger's immutable answers. */
export interface ImmutableReads {
  /**
   * Prepares an operation; `null` if anything in its answer may change. Keeps no reference to the tree.
   * @param tree valid on the schema
   * @param readTree reads the same tree again
   */
  prepare(schema: GraphQLSchema, readTree: () => ReadTree, tree?: ReadTree): ImmutableRead | null;
  /** Forgets everything, and keeps no answer to requests in flight. */
  clear(): void;
  /** Memory that answers take. */
  readonly bytes: number;
}

/** An operation whose answer never changes, given certain variables. */
export interface ImmutableRead {
  /** @param variables as they were sent. @returns `null` if the answer may change with them */
  ask(variables: Variables): CacheLookup | null;
}

/** One request for an immutable read. */
export interface CacheLookup {
  /** The answer, if it was in memory or `keep` has kept it; otherwise `null`. */
  readonly kept: CachedAnswer | null;
  /** Was it in memory before the ledger was asked? */
  readonly isFromMemory: boolean;
  /** Keeps what the ledger answered, if it can be kept. @param body as it came */
  readonly keep: (body: ChunkedBody) => void;
}

export interface ImmutableReadsOptions {
  /** Bytes of memory that answers may take; more than 0. */
  readonly maxBytes: number;
  /** Milliseconds for which an answer is served. Bounded, because the ledger may prune immutable data. */
  readonly lifeMs: number;
  /** The first one that is for a schema is used. */
  readonly tables: readonly ImmutableFields[];
  /** The ledger's build, from its last answer. */
  readonly version: () => string;
  /** Asks the ledger for its network; `null` if it does not say. Called once a minute while answers come from memory. */
  readonly readNetworkId: () => Promise<string | null>;
  /** Called when the memory is cleared: reads in flight must not be shared with later requests. */
  readonly onClear?: () => void;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Milliseconds for which answers that identify the network are served: a test network may be reset under its address. */
const networkLifeMs = 10_000;
/** Milliseconds between two checks of the ledger's network. */
const networkCheckMs = 60_000;
/** Larger answers are not kept, because checking one blocks the process while it is parsed. */
const maxAnswerBytes = 256 * 1024;
/** Keys of all answer shapes that are kept. Each takes a few hundred bytes. */
const maxShapeKeys = 20_000;
/** Characters of a key. Answers with longer keys are not kept: such large variables rarely repeat. */
const maxKeyLength = 1_024;

export function createImmutableReads(options: ImmutableReadsOptions): ImmutableReads {
  const { maxBytes, lifeMs, tables, version, readNetworkId, onClear, now } = options;
  const memory = new AnswerMemory(maxBytes);
  const shapes = new LRUCache<number, AnswerShape>({ maxSize: maxShapeKeys, sizeCalculation: countKeys });
  const largest = Math.min(maxAnswerBytes, Math.floor(maxBytes / 8));
  let reads = 0;
  /** Incremented by `clear`: answers to requests of an earlier era are not kept. */
  let era = 0;
  let network: string | null = null;
  let networkCheckedMs = now();

  const clear = (): void => {
    era += 1;
    memory.clear();
    onClear?.();
  };
  const setNetwork = (reported: string): void => {
    networkCheckedMs = now();
    // Answers that were kept before may be of another network.
    if (reported !== network) clear();
    network = reported;
  };
  const checkNetwork = (nowMs: number): void => {
    // Also if the clock was set back.
    if (nowMs >= networkCheckedMs && nowMs - networkCheckedMs < networkCheckMs) return;
    networkCheckedMs = nowMs;
    readNetworkId().then(
      (reported) => reported !== null && setNetwork(reported),
      () => {},
    );
  };

  const keep = (read: ReadText, key: string, startedInEra: number, body: ChunkedBody): CachedAnswer | null => {
    if (startedInEra !== era || body.size > largest) return null;
    const build = version();
    const nowMs = now();
    // Several requests may share one answer, which the first one has kept already.
    const known = memory.find(key, build, nowMs);
    if (known) return known;
    const bytes = Buffer.concat(body.chunks as Buffer[], body.size);
    const data = toData(bytes);
    const shape = read.shape();
    if (!shape || !hasShape(data, shape)) return null;
    for (const networkKey of read.networkKeys) {
      const reported = (data as Variables)[networkKey];
      if (typeof reported === 'string') setNetwork(reported);
    }
    const life = read.networkKeys.length > 0 ? Math.min(networkLifeMs, lifeMs) : lifeMs;
    const answer = new CachedAnswer(bytes, build, nowMs, life, key.length);
    memory.keep(key, answer);
    return answer;
  };

  const ask = (read: ReadText, variables: Variables): CacheLookup | null => {
    if (!read.isGiven(variables)) return null;
    const key = toKey(read, variables);
    if (key.length > maxKeyLength) return null;
    const nowMs = now();
    const found = memory.find(key, version(), nowMs);
    if (found) checkNetwork(nowMs);
    const startedInEra = era;
    const asked = {
      kept: found,
      isFromMemory: found !== null,
      keep(body: ChunkedBody) {
        asked.kept = keep(read, key, startedInEra, body);
      },
    };
    return asked;
  };

  return {
    prepare(schema, readTree, tree = readTree()) {
      const queries = schema.getQueryType()?.getFields() ?? {};
      const table = tables.find(({ isFor }) => Object.hasOwn(queries, isFor));
      const selection = table && toImmutableSelection(schema, tree, table);
      if (!selection) return null;
      reads += 1;
      const id = reads;
      shapes.set(id, selection.shape);
      const shape = () => {
        const made = shapes.get(id) ?? toImmutableSelection(schema, readTree(), table)?.shape ?? null;
        if (made) shapes.set(id, made);
        return made;
      };
      const { isGiven, networkKeys } = selection;
      const names = (tree.operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
      const read = { id, names, isGiven, shape, networkKeys };
      return { ask: (variables) => ask(read, variables) };
    },
    clear,
    get bytes() {
      return memory.bytes;
    },
  };
}

/** What the text of an operation decides. */
interface ReadText extends Pick<ImmutableSelection, 'isGiven' | 'networkKeys'> {
  /** Stands for text, name and schema in the keys of answers. */
  readonly id: number;
  /** Names of its variables, in an order that does not depend on the request. */
  readonly names: readonly string[];
  /** The shape of answers that can be kept. Worked out again if it was evicted. */
  readonly shape: () => AnswerShape | null;
}

/** The data of an answer without other members; `null` for any other. */
function toData(bytes: Buffer): unknown {
  try {
    const answer: unknown = JSON.parse(bytes.toString('utf8'));
    const members = typeof answer === 'object' && answer !== null ? Object.keys(answer) : [];
    return members.length === 1 ? (answer as { readonly data?: unknown }).data : null;
  } catch {
    return null;
  }
}

/** Equal keys mean equal variables. Equal variables that are written differently may have different keys. */
function toKey({ id, names }: ReadText, variables: Variables): string {
  let key = String(id);
  for (const name of names) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    // A letter for its kind begins each value, and its end is certain, so the key is unique.
    if (typeof value === 'string') key += `s${value.length}:${value}`;
    else if (value === undefined) key += 'u';
    else key += `j${printJson(value)},`;
  }
  return key;
}
