import { Buffer } from 'node:buffer';
import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { printJson } from '../../json/exact-number.ts';
import type { ChunkedBody } from '../answers/plain-answer.ts';
import { AnswerMemory, KeptAnswer } from './answer-memory.ts';
import { type AnswerShape, countKeys, hasShape } from './answer-shape.ts';
import type { ImmutableFields } from './immutable-fields.ts';
import { type ImmutableSelection, type ReadTree, toImmutableSelection } from './immutable-selection.ts';

type Variables = Readonly<Record<string, unknown>>;

export interface ImmutableReadsOptions {
  /** Bytes of memory that answers may take; more than 0. */
  readonly maxBytes: number;
  /** Milliseconds for which an answer is served. Bounded, because the ledger may prune even what never changes. */
  readonly lifeMs: number;
  /** The first table that is for a schema is used for it. */
  readonly tables: readonly ImmutableFields[];
  /** The build of the ledger by its last answer. */
  readonly version: () => string;
  /**
   * Asks the ledger which network it is of; `null` if it does not say. Called in the background, once a minute while answers
   * come from memory.
   */
  readonly askNetwork: () => Promise<string | null>;
  /** Called when everything is forgotten: no answer to what was asked before may be given to who asks after. */
  readonly onClear?: () => void;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** An operation whose answer never changes, if its variables give the arguments that this needs. */
export interface ImmutableRead {
  /** @param variables as they were sent. @returns `null` if with these the answer may change */
  ask(variables: Variables): Ask | null;
}

/** One ask of an immutable read. */
export interface Ask {
  /** The answer, if it was in memory or `keep` has kept it; otherwise `null`. */
  readonly kept: KeptAnswer | null;
  /** Was it in memory before the ledger was asked? */
  readonly isFromMemory: boolean;
  /** Keeps what the ledger answered, if it can be kept. @param body as it came */
  readonly keep: (body: ChunkedBody) => void;
}

/** What the text of an operation decides. */
interface ReadText extends Pick<ImmutableSelection, 'isGiven' | 'networkKeys'> {
  /** Stands for its text, its name and its schema in the keys of answers. */
  readonly id: number;
  /** Names of its variables, in an order that does not depend on the request. */
  readonly names: readonly string[];
  /** The shape of answers that can be kept. Worked out again if it was evicted. */
  readonly shape: () => AnswerShape | null;
}

/** Answers of the ledger's that never change, kept for as long as they are good. */
export interface ImmutableReads {
  /**
   * Prepares an operation; `null` if anything in its answer may change. Keeps no reference to the tree.
   * @param tree valid on the schema
   * @param readTree reads the same tree again
   */
  prepare(schema: GraphQLSchema, readTree: () => ReadTree, tree?: ReadTree): ImmutableRead | null;
  /** Forgets everything, and keeps no answer to what is being asked at this moment. */
  clear(): void;
  /** Memory that answers take. */
  readonly bytes: number;
}

/** Milliseconds for which answers that identify the network are served: a test network may begin anew under its address. */
const networkLifeMs = 10_000;
/** Milliseconds between two questions to the ledger, which network it is of. */
const networkCheckMs = 60_000;
/** Larger answers are not kept, because checking one blocks the process while it is parsed. */
const maxAnswerBytes = 256 * 1024;
/** Keys of all shapes of answers that are remembered: those of documents in use. Each takes a few hundred bytes. */
const maxShapeKeys = 20_000;
/** Characters of a key. Answers with longer keys are not kept: such large variables hardly come twice. */
const maxKeyLength = 1_024;

export function createImmutableReads(options: ImmutableReadsOptions): ImmutableReads {
  const { maxBytes, lifeMs, tables, version, askNetwork, onClear, now } = options;
  const memory = new AnswerMemory(maxBytes);
  const shapes = new LRUCache<number, AnswerShape>({ maxSize: maxShapeKeys, sizeCalculation: countKeys });
  const largest = Math.min(maxAnswerBytes, Math.floor(maxBytes / 8));
  let reads = 0;
  /** Grows with each `clear`: answers to requests that began in an earlier era are not kept. */
  let era = 0;
  let network: string | null = null;
  let networkAskedAtMs = now();

  const clear = (): void => {
    era += 1;
    memory.clear();
    onClear?.();
  };
  const heardNetwork = (told: string): void => {
    networkAskedAtMs = now();
    // Answers that were kept before may be of another network.
    if (told !== network) clear();
    network = told;
  };
  const checkNetwork = (nowMs: number): void => {
    // Also if the clock was set back: it may take years to come there again.
    if (nowMs >= networkAskedAtMs && nowMs - networkAskedAtMs < networkCheckMs) return;
    networkAskedAtMs = nowMs;
    // A ledger that does not answer changes nothing; it is asked again.
    askNetwork().then(
      (told) => told !== null && heardNetwork(told),
      () => {},
    );
  };

  const keep = (read: ReadText, key: string, askedIn: number, body: ChunkedBody): KeptAnswer | null => {
    if (askedIn !== era || body.size > largest) return null;
    const build = version();
    const nowMs = now();
    // Several requests may share one answer; the first of them has kept it already.
    const known = memory.find(key, build, nowMs);
    if (known) return known;
    const bytes = Buffer.concat(body.chunks as Buffer[], body.size);
    const data = toData(bytes);
    const shape = read.shape();
    if (!shape || !hasShape(data, shape)) return null;
    for (const networkKey of read.networkKeys) {
      const told = (data as Variables)[networkKey];
      if (typeof told === 'string') heardNetwork(told);
    }
    const life = read.networkKeys.length > 0 ? Math.min(networkLifeMs, lifeMs) : lifeMs;
    const answer = new KeptAnswer(bytes, build, nowMs, life, key.length);
    memory.keep(key, answer);
    return answer;
  };

  const ask = (read: ReadText, variables: Variables): Ask | null => {
    if (!read.isGiven(variables)) return null;
    const key = toKey(read, variables);
    if (key.length > maxKeyLength) return null;
    const nowMs = now();
    const found = memory.find(key, version(), nowMs);
    if (found) checkNetwork(nowMs);
    const askedIn = era;
    return new OneAsk(found, (body) => keep(read, key, askedIn, body));
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

/** A class, because each object with a getter that is written out as one gets a hidden class of its own, which takes microseconds. */
class OneAsk implements Ask {
  readonly isFromMemory: boolean;
  readonly #keep: (body: ChunkedBody) => KeptAnswer | null;
  #kept: KeptAnswer | null;

  constructor(found: KeptAnswer | null, keep: (body: ChunkedBody) => KeptAnswer | null) {
    this.isFromMemory = found !== null;
    this.#keep = keep;
    this.#kept = found;
  }

  get kept(): KeptAnswer | null {
    return this.#kept;
  }

  /** A function and not a method: it is passed on without its object. */
  readonly keep = (body: ChunkedBody): void => {
    this.#kept = this.#keep(body);
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

/** Requests with one key have the same variables. The converse need not hold: the same values may be written differently. */
function toKey({ id, names }: ReadText, variables: Variables): string {
  let key = String(id);
  for (const name of names) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    // Each value begins with a letter for its kind, and its end is certain, so no two lists of values give one key.
    if (typeof value === 'string') key += `s${value.length}:${value}`;
    else if (value === undefined) key += 'u';
    else key += `j${printJson(value)},`;
  }
  return key;
}
