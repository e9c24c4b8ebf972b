import { type ConfigMistake, quoteText, toMistakes } from './config-error.ts';
import { iota } from './networks/iota.ts';
import { ledger } from './networks/ledger.ts';
import { type NetworkProfile, networkProfileSchema, type ProfileDifferences } from './networks/profile-schema.ts';
import { sui } from './networks/sui.ts';
import { suiLegacy } from './networks/sui-legacy.ts';
import { isJsonObject } from './value-types.ts';

export { type EventFilterMember, eventFilterMembers, type NetworkProfile } from './networks/profile-schema.ts';

/** Does not validate: the compiler checks `differences`, and the first use of a zod schema would slow down every start. */
function toProfile({ differsFrom, ...differences }: ProfileDifferences): NetworkProfile {
  return mergeDeep(differsFrom ? toProfile(differsFrom) : ledger, differences) as NetworkProfile;
}

export const networkProfiles = {
  ledger,
  iota: toProfile(iota),
  sui: toProfile(sui),
  'sui-legacy': toProfile(suiLegacy),
} as const satisfies Record<string, NetworkProfile>;
/** Does the ledger's schema have this coordinate? */
export type HasCoordinate = (coordinate: string) => boolean;

/** The network whose schema has all coordinates of its profile; the profile `ledger` if no other fits. */
export function recogniseNetwork(has: HasCoordinate): NetworkProfile {
  const others = Object.values(networkProfiles).filter(({ recognisedBy }) => recognisedBy.length > 0);
  return others.find(({ recognisedBy }) => recognisedBy.every(has)) ?? ledger;
}

/** Does a profile fit the ledger's schema? A schema of no known network fits every profile. */
export function fitsNetwork({ recognisedBy }: NetworkProfile, has: HasCoordinate): boolean {
  return recogniseNetwork(has) === ledger || (recognisedBy.length > 0 && recognisedBy.every(has));
}

export type NetworkProfileName = keyof typeof networkProfiles;

/** Request headers for a version and response headers with the served one: the contract's name and the network's own. */
export function versionHeadersOf({ headers }: Pick<NetworkProfile, 'headers'>): readonly string[] {
  return [...new Set([ledger.headers.version, headers.version])];
}

export interface UsageHeader {
  readonly name: string;
  /** Does the header request usage with any value, even `false`? */
  readonly isByPresence: boolean;
}

/** Headers that request usage figures: the contract's and the network's own. */
export function usageHeadersOf({ headers }: Pick<NetworkProfile, 'headers'>): readonly UsageHeader[] {
  const byName = new Map([ledger.headers, headers].map((each) => [each.showUsage, each.showUsageByPresence]));
  return [...byName].map(([name, isByPresence]) => ({ name, isByPresence }));
}

export type ProfileResult =
  | { readonly profile: NetworkProfile }
  /** Each mistake's `key` is a path: `PROFILE_OVERRIDES.headers.version`. */
  | { readonly mistakes: readonly ConfigMistake[] };

/** Overrides single names of a profile. Every path must exist in the profile, and every value must have its type. */
export function parseNetworkProfile(base: NetworkProfile, overrides: Readonly<Record<string, unknown>>): ProfileResult {
  const { data, error } = networkProfileSchema.safeParse(mergeDeep(base, overrides));
  if (!error) return { profile: data };
  const checked = {
    setting: 'PROFILE_OVERRIDES',
    content: overrides,
    knownNames: 'a name that a profile has',
    describe,
  };
  return { mistakes: toMistakes(error.issues, checked) };
}

function mergeDeep(base: object, over: object): object {
  const merged = new Map<string, unknown>(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, isJsonObject(below) && isJsonObject(value) ? mergeDeep(below, value) : value);
  }
  // `fromEntries` defines own properties, so a key `__proto__` stays a plain, unknown key.
  return Object.fromEntries(merged);
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return isJsonObject(value) ? 'an object' : quoteText(String(value));
}
