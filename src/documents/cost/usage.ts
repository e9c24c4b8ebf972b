import { type ArgumentNode, Kind, type ValueNode } from 'graphql';
import { type NetworkProfile, networkProfiles, type UsageHeader } from '../../config/network-profile.ts';
import { ExactNumber, isObject } from '../../json/exact-json.ts';

/** A ledger's rules for counting, and its texts for rejections. */
export type LimitRules = NetworkProfile['limits'];

export const contractRules: LimitRules = networkProfiles.ledger.limits;

/** What a request costs, as `extensions.usage` reports it. Every number is at most `maxCount`. */
export interface Usage {
  /** Selections of all operations, fragments expanded at every spread. */
  readonly inputNodes: number;
  /** Fields that an answer would have if every page were full. */
  readonly outputNodes: number;
  /** Levels of the deepest operation; a fragment counts as a level. */
  readonly depth: number;
  /** Number of variables sent, declared or not. */
  readonly variables: number;
  /** Number of fragment definitions, used or not. */
  readonly fragments: number;
  readonly queryPayload: number;
}

/**
 * The largest integer that a browser reads exactly from JSON. Counts stop here: fragments that spread one another reach it
 * within a few hundred bytes of text.
 */
export const maxCount = Number.MAX_SAFE_INTEGER;

/** Adds and stops at `maxCount`. A result below `maxCount` is exact, since counts are never negative. */
export function addCounts(left: number, right: number): number {
  return Math.min(left + right, maxCount);
}

/**
 * Adds usage to a response, if the client asked for it. An upstream's own extensions are not shown, because they are about the
 * gateway's request.
 * @param usage `null` = not requested, or nothing was counted
 */
export function withUsage<Result extends object>(result: Result, usage: Usage | null): Result {
  return usage ? { ...result, extensions: { usage } } : result;
}

/** Usage as JSON text to append to other members, with a comma before it; empty if the client did not ask for it. */
export function toUsageMember(usage: Usage | null): string {
  return usage ? `,"extensions":{"usage":${JSON.stringify(usage)}}` : '';
}

/** Do headers ask for usage, under any of the network's names for it? Where presence does not suffice, `false`, `0` and an empty value mean no. */
export function isUsageAsked(
  headers: Readonly<Record<string, string | string[] | null | undefined>>,
  usageHeaders: readonly UsageHeader[],
): boolean {
  for (const { name, isByPresence } of usageHeaders) {
    const value = headers[name];
    if (isByPresence ? value != null : saysYes(value)) return true;
  }
  return false;
}

function saysYes(header: string | string[] | null | undefined): boolean {
  if (header == null) return false;
  const value = (Array.isArray(header) ? header[0] : header)?.trim().toLowerCase() ?? '';
  return value !== '' && value !== 'false' && value !== '0';
}

/** How often selections occur in a response: the product of the sizes of all pages and lists above them. */
export interface Factor {
  /** Position in the order in which the factors of a document are made: a factor comes after the one above. */
  readonly index: number;
  /** `null` for the selections of an operation, which occur once. */
  readonly above: Factor | null;
  readonly size: PageSize | null;
  /** Output nodes that occur this often. */
  nodes: number;
}

/**
 * Output nodes of a document with these variables. `maxCount` when a page size, or a product of page sizes, overflows the
 * ledger's counter, even if it multiplies nothing: the ledger rejects such a document too.
 */
export type OutputCost = (variables: Variables, defaultPageSize: number) => number;

/** Memory of a page size, counted in numbers. */
const numbersOfPageSize = 16;

/** The factors of one document, and the nodes that they multiply. */
export class Factors {
  readonly #all: Factor[] = [];
  readonly once: Factor = this.#create(null, null);

  below(above: Factor, size: PageSize): Factor {
    return this.#create(above, size);
  }

  /** Holds numbers in lists and nothing of the tree, since it is kept with the document. Pricing allocates nothing. */
  toCost(): { readonly cost: OutputCost; readonly numbers: number } {
    const nodes = this.#all.map((factor) => factor.nodes);
    const above = this.#all.map((factor) => factor.above?.index ?? 0);
    const sizes = this.#all.flatMap(({ size }) => size ?? []);
    return { cost: toOutputCost(nodes, above, sizes), numbers: nodes.length * 2 + sizes.length * numbersOfPageSize };
  }

  #create(above: Factor | null, size: PageSize | null): Factor {
    const factor = { index: this.#all.length, above, size, nodes: 0 };
    this.#all.push(factor);
    return factor;
  }
}

/** Reused by every pricing: the product of each factor. */
const products: number[] = [];

/** A function of its own, so that the cost holds no factor: closures of one scope hold all that any of them uses. */
function toOutputCost(nodes: readonly number[], above: readonly number[], sizes: readonly PageSize[]): OutputCost {
  return (variables, defaultPageSize) => {
    let sum = nodes[0] ?? 0;
    products[0] = 1;
    for (let index = 1; index < nodes.length; index += 1) {
      const items = resolvePageSize(sizes[index - 1] as PageSize, variables, defaultPageSize);
      const product = items * (products[above[index] ?? 0] ?? 1);
      if (items > maxMultiplicity || product > maxMultiplicity) return maxCount;
      products[index] = product;
      sum = addCounts(sum, product * (nodes[index] ?? 0));
    }
    return sum;
  };
}

/** The product of a factor. */
export function timesOf({ above, size }: Factor, variables: Variables, defaultPageSize: number): number {
  if (!above || !size) return 1;
  const items = resolvePageSize(size, variables, defaultPageSize);
  return Math.min(items * timesOf(above, variables, defaultPageSize), maxCount);
}

/** Sources of a connection's page size, or of a list's length: literals in the text, and variables. */
export interface PageSize {
  /** The length of a list argument. */
  readonly isList: boolean;
  /** The larger of the literals given to `first` and `last`; `null` when neither has a usable one. */
  readonly literal: number | null;
  /** Names of the variables given to `first` and `last`. */
  readonly variables: readonly string[];
  /** Items without a size; `null`: the default of all pages. */
  readonly usual: number | null;
  /** More items are rejected before execution; `null`: by the ledger during execution. */
  readonly max: number | null;
  /** Only the items of a list with this `__typename` count. Left out: all items. */
  readonly typename?: string;
}

/** The ledger multiplies page sizes in 32 bits; a larger product exceeds any limit. */
const maxMultiplicity = 2 ** 32 - 1;

const maxUnsigned64 = 2n ** 64n - 1n;
const digitsOfUnsigned64 = 20;

/** Reads `first` and `last`. If an argument is given twice, the first one counts. */
export function toPageSize(
  fieldArguments: readonly ArgumentNode[] | undefined,
  bounds: { readonly usual: number; readonly max: number | null } | null = null,
): PageSize {
  let literal: number | null = null;
  const variables: string[] = [];
  for (const name of ['first', 'last']) {
    const value = fieldArguments?.find((argument) => argument.name.value === name)?.value;
    if (value?.kind === Kind.VARIABLE) variables.push(value.name.value);
    const size = value?.kind === Kind.INT ? parseSize(value.value) : null;
    if (size !== null) literal = Math.max(literal ?? 0, size);
  }
  // Kept with the document, so copied: a list that grew holds spare memory for more.
  const { usual = null, max = null } = bounds ?? {};
  return { isList: false, literal, variables: variables.slice(), usual, max };
}

/** Counts the items of an argument that is a list. @param max `null`: any number @param single items of a value without a list */
export function toListSize(value: ValueNode | undefined, max: number | null = null, single = 1): PageSize {
  const variables = value?.kind === Kind.VARIABLE ? [value.name.value] : [];
  const literal = value?.kind === Kind.LIST ? value.values.length : single;
  return { isList: true, literal, variables, usual: null, max };
}

/** Counts the representations of one type in the argument of `_entities`. */
export function toTypeSize(representations: ValueNode | undefined, typename: string): PageSize {
  const all = toListSize(representations);
  if (representations?.kind !== Kind.LIST) return { ...all, typename };
  const mayHaveType = (item: ValueNode) => {
    if (item.kind !== Kind.OBJECT) return item.kind === Kind.VARIABLE;
    const value = item.fields.find(({ name }) => name.value === '__typename')?.value;
    return value?.kind === Kind.STRING ? value.value === typename : value?.kind === Kind.VARIABLE;
  };
  return { ...all, literal: representations.values.filter(mayHaveType).length, typename };
}

/** Longer lists of representations are rejected, so their types are not counted. */
const maxTypedItems = 1_000;

function countItems(list: readonly unknown[], typename: string | undefined): number {
  if (typename === undefined || list.length > maxTypedItems) return list.length;
  return list.filter((item) => isObject(item) && item.__typename === typename).length;
}

/**
 * The items of a page: the larger of `first` and `last`, which may be 0; the default without a usable one. Like the ledger,
 * this ignores the default declared for a variable.
 */
export function resolvePageSize(size: PageSize, variables: Variables, defaultPageSize: number): number {
  if (size.isList) {
    const [list] = size.variables.map((name) => readVariable(variables, name));
    return Array.isArray(list) ? countItems(list, size.typename) : (size.literal ?? 1);
  }
  let items = size.literal;
  for (const name of size.variables) {
    const sent = toSize(readVariable(variables, name));
    if (sent !== null) items = Math.max(items ?? 0, sent);
  }
  return items ?? size.usual ?? defaultPageSize;
}

/** Compares exactly, as a `BigInt`: near 2^64 a rounded double could fall on the wrong side of the bound. */
function parseSize(digits: string): number | null {
  if (digits.startsWith('-') || digits.length > digitsOfUnsigned64) return null;
  const exact = BigInt(digits);
  return exact <= maxUnsigned64 ? Number(exact) : null;
}

/** `null` for a number that is negative, `-0` included, fractional, or larger than 64 bits. */
function toSize(value: unknown): number | null {
  if (value instanceof ExactNumber) {
    return /^-?\d+$/.test(value.text) ? parseSize(value.text) : toSize(value.valueOf());
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) return null;
  return value >= 0 && value < 2 ** 64 && !Object.is(value, -0) ? value : null;
}

/** The variables of a request as they were sent: JSON values, nothing coerced, no declared defaults. */
export type Variables = Readonly<Record<string, unknown>>;

/** Reads a sent value. Own properties only, because a client may name a variable `constructor` or `toString`. */
export function readVariable(variables: Variables, name: string): unknown {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

/**
 * Sets a variable's value. A variable may be called `__proto__`, which plain assignment would make the prototype; an object
 * without a prototype is slower to read.
 */
export function putVariable(values: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') values[name] = value;
  else Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true });
}
