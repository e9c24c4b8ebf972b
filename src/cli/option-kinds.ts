import { clientIdRule, isClientId } from '../config/api-key.ts';
import { type Client, clientScopes } from '../config/client.ts';
import type { ValueKind } from '../config/config-key.ts';
import { type NetworkProfileName, networkProfiles } from '../config/network-profile.ts';
import { origins } from '../config/value-kinds.ts';

export const jsonObject: ValueKind<Readonly<Record<string, unknown>>> = {
  expected: 'a JSON object',
  parse: (text) => {
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
    } catch {
      return undefined;
    }
  },
};

/** Instants that a ledger's whole milliseconds and RFC 3339 text can both express. */
export const startTime: ValueKind<number | 'now'> = {
  expected: 'now, or an instant in UTC like 2026-01-31T12:00:00Z, from 1971 to 2199',
  parse: (text) => {
    if (text === 'now') return text;
    if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/.test(text)) return undefined;
    const ms = Date.parse(text);
    const isOfCalendar = Number.isFinite(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 19));
    const year = Number(text.slice(0, 4));
    return isOfCalendar && year >= 1971 && year <= 2199 ? ms : undefined;
  },
};

const profileNames = Object.keys(networkProfiles) as NetworkProfileName[];

export const profileName: ValueKind<NetworkProfileName> = {
  expected: `one of ${profileNames.join(', ')}`,
  parse: (text) => profileNames.find((name) => name === text),
};

export const clientId: ValueKind<string> = {
  expected: clientIdRule,
  parse: (text) => (isClientId(text) ? text : undefined),
};

export const scopeList: ValueKind<Client['scopes']> = {
  expected: `scopes separated by commas, of ${clientScopes.join(', ')}`,
  parse: (text) => {
    const asked = new Set(text.split(',').map((scope) => scope.trim()));
    const known = clientScopes.filter((scope) => asked.has(scope));
    return known.length === asked.size ? known : undefined;
  },
};

export const namedOrigins: ValueKind<readonly string[]> = {
  expected: 'origins separated by commas, each like https://app.example.com, without a path',
  parse: (text) => {
    const list = origins.parse(text);
    return list === '*' ? undefined : list;
  },
};
