import DataLoader from 'dataloader';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';
import { lightError } from '../../errors/light-error.ts';
import { printJson } from '../../json/exact-json.ts';
import type { LedgerExecutor } from '../../ledger/ledger-executor.ts';
import type { Cancellation } from '../../upstream/cancellation.ts';
import {
  groupJoinLookups,
  type JoinLookup,
  joinAlias,
  type RequestBounds,
  selectionsOf,
  toJoinDocument,
} from './join-document.ts';

type Variables = Readonly<Record<string, unknown>>;

/** `value` is the ledger's, null if there is none; the paths of the errors begin at the value. */
export interface JoinAnswer {
  readonly value: unknown;
  readonly errors: readonly GraphQLError[];
}

export interface JoinLoaderOptions {
  readonly execute: LedgerExecutor;
  readonly limits: RequestBounds;
  readonly variables: Variables;
  readonly cancellation?: Cancellation | undefined;
  /** The root fields whose joins this loader looks up. */
  readonly roots: OpenRoots;
}

export type JoinLoader = ReturnType<typeof createJoinLoader>;

interface PendingLookup {
  readonly lookup: JoinLookup;
  /** It was answered before, and is asked again for newer data. */
  readonly isRepeated: boolean;
  readonly done: Promise<unknown>;
  answer: JoinAnswer | Error;
}

const notYet = new Error('the lookup has not been answered');

/**
 * Collects the lookups of one operation and sends them to the ledger together: in one request, or in as few as the ledger's
 * limits allow. Equal lookups are sent once.
 */
export function createJoinLoader(options: JoinLoaderOptions) {
  const known = new Map<string, PendingLookup>();
  let batch: { readonly asked: PendingLookup[]; readonly done: Promise<unknown> } | null = null;
  // DataLoader waits until all root fields have resolved. One of its keys is a whole batch, because a promise for each lookup
  // is slow.
  const batches = new DataLoader<readonly PendingLookup[], null>(
    async (collected) => {
      batch = null;
      await sendAll(collected.flat(), options);
      return collected.map(() => null);
    },
    { cache: false, batchScheduleFn: (send) => options.roots.onceIdle(send) },
  );

  const begin = () => {
    const asked: PendingLookup[] = [];
    return { asked, done: batches.load(asked) };
  };
  const ask = (lookup: JoinLookup, isRepeated: boolean): PendingLookup => {
    const knownLookup = known.get(lookup.text);
    if (knownLookup) return knownLookup;
    batch ??= begin();
    const made: PendingLookup = { lookup, isRepeated, done: batch.done, answer: notYet };
    batch.asked.push(made);
    known.set(lookup.text, made);
    return made;
  };

  return {
    /** The answers in the order of the lookups, an error for each lookup that the ledger did not answer. Never rejects. */
    async load(lookups: readonly JoinLookup[]): Promise<readonly (JoinAnswer | Error)[]> {
      const asked = lookups.map((lookup) => ask(lookup, false));
      for (const done of new Set(asked.map((each) => each.done))) await done;
      return asked.map(({ answer }) => answer);
    },
    /** Asks the ledger again, at an address with its newest data. */
    async reload(lookup: JoinLookup): Promise<JoinAnswer | Error> {
      known.delete(lookup.text);
      const asked = ask(lookup, true);
      await asked.done;
      return asked.answer;
    },
  };
}

/**
 * Milliseconds that lookups wait for a slow root field: less than the timeout of an operation, so that one hanging upstream
 * does not prevent the joins of other fields.
 */
const longestWaitMs = 1_000;

/** The pending root fields of one operation that have joins. Lookups wait for all of them, to be sent together. */
export class OpenRoots {
  #open = 0;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @returns call it when the field has resolved or failed; further calls do nothing */
  open(): () => void {
    let isOpen = true;
    this.#open += 1;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#open -= 1;
      // The last field adds its own lookups in this turn.
      if (this.#open === 0) setImmediate(() => this.#release());
    };
  }

  /** Calls back once no field is pending, at the end of the turn at the earliest. */
  onceIdle(send: () => void): void {
    if (this.#open === 0 && this.#waiting.length === 0) {
      void Promise.resolve().then(() => process.nextTick(send));
      return;
    }
    this.#waiting.push(send);
    this.#timer ??= setTimeout(() => this.#release(), longestWaitMs).unref();
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const send of this.#waiting.splice(0)) send();
  }
}

/** Concurrent requests of one operation, limited so that a large operation leaves connections to others. */
const maxInFlight = 4;
/** In bytes: the variables of one largest request. Each request for joins repeats the variables that its selections use. */
const maxRepeatedBytes = 1024 * 1024;

/** Sends lookups to the ledger, in as few requests as its limits allow, and stores the answers. */
async function sendAll(asked: readonly PendingLookup[], options: JoinLoaderOptions): Promise<void> {
  const lookups = asked.map(({ lookup }) => lookup);
  const requests = toJoinRequests(lookups, options);
  const repeatedBytes = (requests.length - 1) * bytesOfVariables(lookups, options.variables);
  if (repeatedBytes > maxRepeatedBytes) {
    const error = repeatsTooMuch(requests.length, repeatedBytes);
    for (const each of asked) each.answer = error;
    return;
  }
  let start = 0;
  const groups = requests.map((group) => {
    const members = asked.slice(start, start + group.length);
    start += group.length;
    return { group, members };
  });
  const waiting = groups.values();
  const askNext = async (): Promise<void> => {
    for (const { group, members } of waiting) await sendGroup(group, members, options);
  };
  await Promise.all(groups.slice(0, maxInFlight).map(askNext));
}

/** Divides lookups into requests. */
export function toJoinRequests(
  lookups: readonly JoinLookup[],
  { limits, variables }: Pick<JoinLoaderOptions, 'limits' | 'variables'>,
): readonly (readonly JoinLookup[])[] {
  return groupJoinLookups(lookups, limits, bytesOfVariables(lookups, variables));
}

/**
 * The most requests for lookups that root fields ask for: a root field that takes over a second has requests of its own. Lookups
 * that are sent together take no more requests, because each request also has room for the variables of all.
 */
export function countSeparateRequests(
  batches: readonly (readonly JoinLookup[])[],
  { limits, variables }: Pick<JoinLoaderOptions, 'limits' | 'variables'>,
): number {
  const sharedBytes = bytesOfVariables(batches.flat(), variables);
  return batches.reduce((sum, each) => sum + groupJoinLookups(each, limits, sharedBytes).length, 0);
}

function bytesOfVariables(lookups: readonly JoinLookup[], variables: Variables): number {
  return Buffer.byteLength(printJson(variablesOf(lookups, variables)));
}

function repeatsTooMuch(requests: number, bytes: number): GraphQLError {
  const message = `The joins take ${requests} requests to the ledger, which would repeat ${bytes} bytes of variables: use shorter variables, or select fewer joins.`;
  return gatewayError('PAYLOAD_TOO_LARGE', message);
}

async function sendGroup(
  group: readonly JoinLookup[],
  members: readonly PendingLookup[],
  { execute, cancellation, variables }: JoinLoaderOptions,
): Promise<void> {
  try {
    const least = members.some(({ isRepeated }) => isRepeated) ? Number.POSITIVE_INFINITY : null;
    const result = await execute({
      document: toJoinDocument(group),
      variables: variablesOf(group, variables),
      cancellation,
      least,
    });
    const toAnswer = createToAnswer(result, group.length);
    for (const [index, each] of members.entries()) each.answer = toAnswer(joinAlias(index));
  } catch (error) {
    for (const each of members) each.answer = error instanceof Error ? error : new Error(String(error));
  }
}

/** The operation's variables that some lookups use. */
function variablesOf(lookups: readonly JoinLookup[], variables: Variables): Variables {
  const names = new Set([...selectionsOf(lookups)].flatMap((selection) => [...selection.variables.keys()]));
  if (names.size === 0) return noVariables;
  return Object.fromEntries(Object.entries(variables).filter(([name]) => names.has(name)));
}

const noVariables: Variables = {};
const noErrors: readonly GraphQLError[] = [];

/** Returns the answer of each alias. Reads the errors once, since there may be thousands, for a hundred aliases. */
function createToAnswer({ data, errors = noErrors }: ExecutionResult, lookups: number): (alias: string) => JoinAnswer {
  if (errors.length === 0) return (alias) => ({ value: data?.[alias] ?? null, errors });
  const byAlias = new Map<unknown, GraphQLError[]>();
  for (let index = 0; index < lookups; index += 1) byAlias.set(joinAlias(index), []);
  for (const { message, path, extensions } of errors) {
    const error = lightError(message, { path: path?.slice(1), extensions });
    // An error without a path concerns every lookup of the request. The ledger's order is kept.
    for (const list of path ? [byAlias.get(path[0])] : byAlias.values()) list?.push(error);
  }
  // If a root field may not be null, its error makes all data null: it explains every null without an error.
  const cause = data ? undefined : errors.find(({ path }) => path);
  const unexplained = cause ? [lightError(cause.message, { path: [], extensions: cause.extensions })] : noErrors;
  return (alias) => {
    const known = byAlias.get(alias) ?? noErrors;
    return { value: data?.[alias] ?? null, errors: known.length > 0 ? known : unexplained };
  };
}
