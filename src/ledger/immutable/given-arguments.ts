import { Kind, type OperationDefinitionNode, type ValueNode, valueFromASTUntyped } from 'graphql';
import type { GivenArgument } from './immutable-fields.ts';
import type { AskingField } from './immutable-selection.ts';

type Variables = Readonly<Record<string, unknown>>;

/** What a value has to be. */
interface Need {
  /** It must be an object that gives this member. */
  readonly member: string | undefined;
  readonly isOrdinaryAddress: boolean;
}

/** What a variable of a request has to give. Plain data, and each only once: it is kept with its document. */
interface Needed extends Need {
  readonly variable: string;
  /** Does the declared default give it where the variable is not sent? */
  readonly isDefault: boolean;
}

/**
 * Makes a function that checks whether the needed arguments are given. It captures nothing of the tree.
 * @returns `null` if the text alone decides that they are not
 */
export function toIsGiven(
  asking: readonly AskingField[],
  { variableDefinitions = [] }: OperationDefinitionNode,
): ((variables: Variables) => boolean) | null {
  const defaults = new Map(
    variableDefinitions.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  const needs = new Map<string, readonly Needed[]>();
  for (const { field, given } of asking) {
    const ways = given.map((each) => {
      const node = field.arguments?.find(({ name }) => name.value === each.argument)?.value;
      return toNeeded(node, toNeed(each), defaults);
    });
    if (ways.includes(true)) continue;
    const open = ways.filter((way) => typeof way === 'object');
    if (open.length === 0) return null;
    // Copied, because a list that grew holds spare memory for more.
    needs.set(open.map(toKey).join(' '), open.slice());
  }
  return toEveryGiven([...needs.values()]);
}

/** Apart from where the tree is at hand: a function holds everything that any function made beside it holds. */
function toEveryGiven(needs: readonly (readonly Needed[])[]): (variables: Variables) => boolean {
  return (sent) => needs.every((ways) => ways.some((way) => isMet(way, sent)));
}

function isMet(needed: Needed, sent: Variables): boolean {
  const { variable, isDefault } = needed;
  return Object.hasOwn(sent, variable) ? isGiven(sent[variable], needed) : isDefault;
}

function toNeed({ member, isOrdinaryAddress }: GivenArgument): Need {
  return { member, isOrdinaryAddress: isOrdinaryAddress === true };
}

const anything: Need = { member: undefined, isOrdinaryAddress: false };

/** A boolean if no variable has a say in it. */
function toNeeded(
  node: ValueNode | undefined,
  need: Need,
  defaults: ReadonlyMap<string, ValueNode | undefined>,
): Needed | boolean {
  if (!node) return false;
  const { member, isOrdinaryAddress } = need;
  if (node.kind === Kind.VARIABLE) {
    const variable = node.name.value;
    const fallback = defaults.get(variable);
    const isDefault = fallback !== undefined && isGiven(valueFromASTUntyped(fallback), need);
    return { variable, member, isOrdinaryAddress, isDefault };
  }
  if (node.kind !== Kind.OBJECT || member === undefined) return isGiven(valueFromASTUntyped(node), need);
  return toNeeded(node.fields.find(({ name }) => name.value === member)?.value, anything, defaults);
}

function toKey({ variable, member, isOrdinaryAddress }: Needed): string {
  return `${variable}.${member ?? ''}.${isOrdinaryAddress}`;
}

function isGiven(value: unknown, { member, isOrdinaryAddress }: Need): boolean {
  if (value === undefined || value === null) return false;
  if (isOrdinaryAddress) return isOrdinary(value);
  if (member === undefined) return true;
  return typeof value === 'object' && Object.hasOwn(value, member) && (value as Variables)[member] != null;
}

/** Packages of the system have small numbers for addresses: at least half of the 32 bytes of theirs are zero. */
function isOrdinary(address: unknown): boolean {
  return typeof address === 'string' && /^0x0*[1-9a-f][\da-f]{32,}$/i.test(address);
}
