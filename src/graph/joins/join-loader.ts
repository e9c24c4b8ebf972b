import DataLoader from 'dataloader';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { lightError } from '../../errors/light-error.ts';
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
import type { OpenRoots } from './open-roots.ts';

/** `value` is as the ledger sent it, null if there is none; the paths of the errors begin at the value. */
export interface JoinAnswer {
  readonly value: unknown;
  readonly errors: readonly GraphQLError[];
}

export interface JoinLoaderOptions {
  readonly execute: LedgerExecutor;
  readonly limits: RequestBounds;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly cancellation?: Cancellation | undefined;
  /** The root fields whose joins this loader looks up. */
  readonly roots: OpenRoots;
}

export interface JoinLoader {
  /** The answers in the order of the lookups, an error where the ledger gave none. Never rejects. */
  load(lookups: readonly JoinLookup[]): Promise<readonly (JoinAnswer | Error)[]>;
  /** The same for one lookup. Of those that are answered together, who asked first hears first. */
  loadOne(lookup: JoinLookup): Promise<JoinAnswer | Error>;
  /** Drops the answer: the next `load` asks the ledger again. */
  forget(lookup: JoinLookup): void;
}

interface Asked {
  readonly lookup: JoinLookup;
  done: Promise<unknown> | null;
  answer: JoinAnswer | Error;
}

const notYet = new Error('the lookup has not been answered');

/**
 * Collects the lookups of one operation and asks the ledger for them together: one request, or as few as the ledger's
 * bounds allow. The same lookup twice is asked once.
 */
export function createJoinLoader(options: JoinLoaderOptions): JoinLoader {
  const known = new Map<string, Asked>();
  /** Those asked for one by one in this turn. */
  let singles: { readonly asked: Asked[]; readonly done: Promise<unknown> } | null = null;
  // DataLoader waits until all root fields are there, so that the lookups of all of them travel together.
  const sets = new DataLoader<readonly Asked[], null>(
    async (collected) => {
      singles = null;
      await askAll(collected.flat(), options);
      return collected.map(() => null);
    },
    { cache: false, batchScheduleFn: (send) => options.roots.whenNone(send) },
  );

  const add = (lookup: JoinLookup): Asked => {
    const made: Asked = { lookup, done: null, answer: notYet };
    known.set(lookup.text, made);
    return made;
  };

  return {
    async load(lookups) {
      const fresh: Asked[] = [];
      const asked = lookups.map((lookup) => {
        const before = known.get(lookup.text);
        if (before) return before;
        const made = add(lookup);
        fresh.push(made);
        return made;
      });
      if (fresh.length > 0) {
        const done = sets.load(fresh);
        for (const each of fresh) each.done = done;
      }
      let awaited: Promise<unknown> | null = null;
      for (const { done } of asked) {
        // Mostly all of them are answered together.
        if (done === awaited) continue;
        await done;
        awaited = done;
      }
      return asked.map(({ answer }) => answer);
    },
    loadOne(lookup) {
      const asked = known.get(lookup.text) ?? add(lookup);
      if (asked.done === null) {
        if (singles === null) {
          const collected: Asked[] = [];
          singles = { asked: collected, done: sets.load(collected) };
        }
        singles.asked.push(asked);
        asked.done = singles.done;
      }
      return asked.done.then(() => asked.answer);
    },
    forget: ({ text }) => {
      known.delete(text);
    },
  };
}

/** Asks the ledger for lookups, in as few requests as its bounds allow, and notes the answers. */
async function askAll(asked: readonly Asked[], options: JoinLoaderOptions): Promise<void> {
  const lookups = asked.map(({ lookup }) => lookup);
  const sharedBytes = Buffer.byteLength(JSON.stringify(variablesOf(lookups, options)));
  let start = 0;
  await Promise.all(
    groupJoinLookups(lookups, options.limits, sharedBytes).map((group) => {
      const members = asked.slice(start, start + group.length);
      start += group.length;
      return askGroup(group, members, options);
    }),
  );
}

async function askGroup(
  group: readonly JoinLookup[],
  members: readonly Asked[],
  options: JoinLoaderOptions,
): Promise<void> {
  const { execute, cancellation } = options;
  const document = { text: toJoinDocument(group), rootKeys: group.map((_, index) => joinAlias(index)) };
  try {
    const result = await execute({ document, variables: variablesOf(group, options), cancellation });
    const toAnswer = createToAnswer(result, document.rootKeys);
    for (const [index, each] of members.entries()) each.answer = toAnswer(joinAlias(index));
  } catch (error) {
    for (const each of members) each.answer = error instanceof Error ? error : new Error(String(error));
  }
}

const noVariables: Readonly<Record<string, unknown>> = {};

/** The operation's variables that some lookups use. */
function variablesOf(
  lookups: readonly JoinLookup[],
  { variables }: JoinLoaderOptions,
): Readonly<Record<string, unknown>> {
  const names = new Set<string>();
  for (const { variables: used } of selectionsOf(lookups)) for (const name of used.keys()) names.add(name);
  if (names.size === 0) return noVariables;
  return Object.fromEntries(Object.entries(variables).filter(([name]) => names.has(name)));
}

const noErrors: readonly GraphQLError[] = [];

/** Gives the answer of each alias. Goes through the errors once, since there may be thousands, for a hundred aliases. */
function createToAnswer(
  { data, errors = noErrors }: ExecutionResult,
  aliases: readonly string[],
): (alias: string) => JoinAnswer {
  if (errors.length === 0) return (alias) => ({ value: data?.[alias] ?? null, errors });
  const asked = new Set<string | number | undefined>(aliases);
  /** In the ledger's order: what is said of nothing in particular is said of each of them. */
  const ofAlias = new Map<string | number | undefined, GraphQLError[]>();
  const ofAll: GraphQLError[] = [];
  for (const { message, path, extensions } of errors) {
    const alias = path?.[0];
    if (path && !asked.has(alias)) continue;
    const error = lightError(message, { path: path?.slice(1), extensions });
    if (path) {
      const known = ofAlias.get(alias);
      if (known) known.push(error);
      else ofAlias.set(alias, [...ofAll, error]);
      continue;
    }
    ofAll.push(error);
    for (const each of ofAlias.values()) each.push(error);
  }
  return (alias) => ({ value: data?.[alias] ?? null, errors: ofAlias.get(alias) ?? ofAll });
}
