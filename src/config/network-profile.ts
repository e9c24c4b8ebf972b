import { type ConfigMistake, quoteText } from './config-error.ts';
import { iota } from './networks/iota.ts';
import { ledger } from './networks/ledger.ts';
import {
  type NetworkProfile,
  networkProfileSchema,
  type ProfileDifferences,
  rpcMethodsWith,
} from './networks/profile-schema.ts';
import { sui } from './networks/sui.ts';
import { suiLegacy } from './networks/sui-legacy.ts';
import { parseYaml } from './read-settings.ts';
import { toMistakes } from './to-mistakes.ts';
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

/** A network that has the RPC of a known one under other names. */
export interface ForkedNetwork {
  /** Its scalar for addresses, such as `MgoAddress`. */
  readonly scalar: string;
  /** The built-in profile that it resembles. */
  readonly resembles: NetworkProfileName;
  /** What differs, for `PROFILE_OVERRIDES`. The names follow from the scalar, as they do in known networks. */
  readonly overrides: {
    readonly name: string;
    readonly recognisedBy: readonly string[];
    readonly headers: { readonly version: string; readonly showUsage: string };
    readonly events: Pick<NetworkProfile['events'], 'methods'>;
  };
}

/** @param scalars names of the schema's scalars. @returns `null` for a known network, and for an unlike one */
export function recogniseFork(has: HasCoordinate, scalars: readonly string[]): ForkedNetwork | null {
  if (recogniseNetwork(has) !== ledger) return null;
  const known = new Set([
    'LedgerAddress',
    ...Object.values(networkProfiles).flatMap(({ recognisedBy }) => recognisedBy),
  ]);
  const scalar = scalars.find((name) => /^[A-Z]\w*Address$/.test(name) && !known.has(name));
  const root = ['Query.transactionBlock', 'Query.transaction'].find(has);
  if (scalar === undefined || root === undefined) return null;
  const prefix = scalar.slice(0, -'Address'.length).toLowerCase();
  return {
    scalar,
    resembles: root === 'Query.transactionBlock' ? 'sui-legacy' : 'sui',
    overrides: {
      name: prefix,
      recognisedBy: [scalar, root],
      headers: { version: `x-${prefix}-rpc-version`, showUsage: `x-${prefix}-rpc-show-usage` },
      events: { methods: rpcMethodsWith(`${prefix}x`) },
    },
  };
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

/** The built-in profile of this name; `null` if there is none. */
export function findNetworkProfile(name: string): NetworkProfile | null {
  return Object.hasOwn(networkProfiles, name) ? networkProfiles[name as NetworkProfileName] : null;
}

const fileSetting = 'NETWORK_PROFILE';

/** Parses a file that describes a network by its differences from the built-in profile named in `extends` (`ledger`). */
export function parseProfileFile(text: string): ProfileResult {
  const parsed = parseYaml(text);
  const expected = 'a file with an object in YAML or JSON';
  if ('problem' in parsed) return { mistakes: [{ key: fileSetting, expected, got: parsed.problem }] };
  if (!isJsonObject(parsed.value)) return { mistakes: [{ key: fileSetting, expected, got: 'something else' }] };
  const { extends: named = 'ledger', ...differences } = parsed.value;
  const base = findNetworkProfile(String(named));
  if (base) return parseNetworkProfile(base, differences, fileSetting);
  const names = `one of ${Object.keys(networkProfiles).join(', ')}`;
  return { mistakes: [{ key: `${fileSetting}.extends`, expected: names, got: describe(named) }] };
}

/**
 * Changes single names of a profile. Every path must exist in the profile, and every value must have its type.
 * @param setting that holds the changes, or names their file
 */
export function parseNetworkProfile(
  base: NetworkProfile,
  overrides: Readonly<Record<string, unknown>>,
  setting = 'PROFILE_OVERRIDES',
): ProfileResult {
  const { data, error } = networkProfileSchema.safeParse(mergeDeep(base, overrides));
  if (!error) return { profile: data };
  const checked = {
    setting,
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
