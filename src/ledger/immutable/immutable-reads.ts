import { Buffer } from 'node:buffer';
import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { printJson } from '../../json/exact-json.ts';
import type { ChunkedBody } from '../answers/data-extent.ts';
import { AnswerMemory, CachedAnswer } from './answer-memory.ts';
import type { ImmutableFields } from './immutable-fields.ts';
import {
  type AnswerShape,
  countKeys,
  hasShape,
  type ImmutableSelection,
  type ReadTree,
  toImmutableSelection,
} from './immutable-selection.ts';

type Variables = Readonly<Record<string, unknown>>;

/** An operation whose response never changes if certain variables are given. */
export interface ImmutableRead {
  /** @param variables as sent. @returns `null` if the response may change with them */
  ask(variables: Variables): CacheLookup | null;
}

/** One request for an immutable read. */
export interface CacheLookup {
  /** The response, if it was cached or `keep` has cached it; otherwise `null`. */
  readonly kept: CachedAnswer | null;
  /** Was the response cached before this request? */
  readonly isFromMemory: boolean;
  /** Caches the ledger's response if possible. @param body unchanged */
  readonly keep: (body: ChunkedBody) => void;
}

export interface ImmutableReadsOptions {
  /** Maximum memory of cached responses, in bytes; more than 0. */
  readonly maxBytes: number;
  /** Milliseconds until a cached response expires. There is a limit, because the ledger may prune immutable data. */
  readonly lifeMs: number;
  /** The first table that fits the schema is used. */
  readonly tables: readonly ImmutableFields[];
  /** The ledger's build, from its last response. */
  readonly version: () => string;
  /** Queries the ledger's network; `null` if the ledger does not report it. Called once a minute while the cache is used. */
  readonly readNetworkId: () => Promise<string | null>;
  /** Called when the cache is cleared: reads in flight must not be shared with later requests. */
  readonly onClear?: () => void;
  readonly now: () => number;
}

/** Milliseconds until a response that identifies the network expires: a test network may be reset under its address. */
const networkLifeMs = 10_000;
/** Milliseconds between two checks of the ledger's network. */
const networkCheckMs = 60_000;
/** Larger responses are not cached, because checking one blocks the process while it is parsed. */
const maxAnswerBytes = 256 * 1024;
/** Keys of all stored answer shapes. Each takes a few hundred bytes. */
const maxShapeKeys = 20_000;
/** Characters of a cache key. Responses with longer keys are not cached: such large variables rarely repeat. */
const maxKeyLength = 1_024;

export type ImmutableReads = ReturnType<typeof createImmutableReads>;

/** A cache of the ledger's immutable responses. */
export function createImmutableReads(options: ImmutableReadsOptions) {
  const { maxBytes, lifeMs, tables, version, readNetworkId, onClear, now } = options;
  const memory = new AnswerMemory(maxBytes);
  const shapes = new LRUCache<number, AnswerShape>({ maxSize: maxShapeKeys, sizeCalculation: countKeys });
  const largest = Math.min(maxAnswerBytes, Math.floor(maxBytes / 8));
  let reads = 0;
  /** Incremented by `clear`: responses to requests of an earlier era are not cached. */
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
    // Cached responses may be of another network.
    if (reported !== network) clear();
    network = reported;
  };
  const checkNetwork = (nowMs: number): void => {
    // A clock that was set back causes a check too.
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
    // Several requests may share one response, which the first of them has cached already.
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
    const answer = new CachedAnswer(bytes, build, nowMs, life, key.length, body.from);
    memory.keep(key, answer);
    // Until its address confirms the network, it must not be cached by others either.
    return answer.verdict === 'right' ? answer : null;
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
    /**
     * Prepares an operation; `null` if anything in its response may change. Keeps no reference to the tree.
     * @param tree valid on the schema
     * @param readTree parses the same tree again
     */
    prepare(schema: GraphQLSchema, readTree: () => ReadTree, tree = readTree()): ImmutableRead | null {
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
    /** Clears the cache, and ignores the responses to requests in flight. */
    clear,
    get bytes(): number {
      return memory.bytes;
    },
  };
}

/** The prepared form of a cacheable operation, which depends on its text alone. */
interface ReadText extends Pick<ImmutableSelection, 'isGiven' | 'networkKeys'> {
  /** Replaces text, operation name and schema in cache keys. */
  readonly id: number;
  /** Names of its variables, in an order that does not depend on the request. */
  readonly names: readonly string[];
  /** The shape of cacheable responses. Recomputed if it was evicted. */
  readonly shape: () => AnswerShape | null;
}

/** The data of a response without other members; `null` for any other response. */
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
    // A letter for its kind begins each value, and its end is unambiguous, so the key is unique.
    if (typeof value === 'string') key += `s${value.length}:${value}`;
    else if (value === undefined) key += 'u';
    else key += `j${printJson(value)},`;
  }
  return key;
}
