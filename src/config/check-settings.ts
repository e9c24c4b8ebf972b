import type { ConfigMistake } from './config-error.ts';
import { itemsPerCall, maxSpareCalls } from './event-calls.ts';
import type { ConfigValues } from './keys.ts';
import type { ConfigTable } from './value-types.ts';

/** Parsed values, and which keys were set. A key that was set wrongly counts as set and has its default as value. */
export interface Settings {
  readonly table: ConfigTable;
  readonly values: ConfigValues;
  /** Has it a value of its own, or a file that holds its value? */
  readonly isSet: (name: string) => boolean;
  /** Has it a value of its own? */
  readonly isWritten: (name: string) => boolean;
}

/**
 * Who holds the sponsor's token. Unless `SPONSOR_AUTH` is set: the gateway, if it has a token or runs the embedded network.
 */
export function toSponsorAuth({ values, isSet }: Settings): 'forward' | 'token' {
  const tokenIsGiven = isSet('SPONSOR_TOKEN') || !isSet('LEDGER_GRAPHQL_URL');
  return values.SPONSOR_AUTH ?? (tokenIsGiven ? 'token' : 'forward');
}

export function checkSettings(settings: Settings): ConfigMistake[] {
  return [
    ...checkNeeds(settings),
    ...checkSecretFiles(settings),
    ...checkTokens(settings),
    ...checkSponsorship(settings),
    ...checkPages(settings),
    ...checkWorkers(settings),
  ];
}

function checkNeeds({ table, isSet }: Settings): ConfigMistake[] {
  /** The first unset setting in the chain of requirements, beginning with those that others need. */
  const missingFor = (name: string): string | null => {
    const needed = table[name]?.needs;
    if (needed === undefined) return null;
    return missingFor(needed) ?? (isSet(needed) ? null : needed);
  };
  return Object.keys(table).flatMap((key) => {
    const missing = isSet(key) ? missingFor(key) : null;
    return missing === null ? [] : [toMissing(key, missing)];
  });
}

/** The mistake of a setting that needs another one. */
export function toMissing(key: string, missing: string): ConfigMistake {
  return { key, expected: `${missing} to be set too`, got: `no ${missing}` };
}

function checkSecretFiles({ table, isWritten }: Settings): ConfigMistake[] {
  return Object.entries(table).flatMap(([file, { holds: secret }]) =>
    secret !== undefined && isWritten(secret) && isWritten(file)
      ? [{ key: file, expected: `either ${secret} or ${file}`, got: 'both' }]
      : [],
  );
}

/** A JWT is only trustworthy with all three: the keys that verify it, its issuer and its audience. */
function checkTokens({ isSet }: Settings): ConfigMistake[] {
  const names = ['JWT_JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE'];
  const missing = names.filter((name) => !isSet(name)).join(' and ');
  if (missing === '') return [];
  return names.filter(isSet).map((key) => toMissing(key, missing));
}

function checkSponsorship(settings: Settings): ConfigMistake[] {
  const { values, isSet } = settings;
  const isEmbedded = !isSet('LEDGER_GRAPHQL_URL');
  const isReal = !isEmbedded && isSet('SPONSOR_URL');
  const mistakes: ConfigMistake[] = [];
  if (isSet('SPONSOR_POLICY_URL') && !isSet('SPONSOR_POLICY_SECRET')) {
    mistakes.push({
      key: 'SPONSOR_POLICY_SECRET',
      expected: 'a secret here or in SPONSOR_POLICY_SECRET_FILE, because SPONSOR_POLICY_URL is set',
      got: 'neither',
    });
  }
  if (toSponsorAuth(settings) !== 'token' || !(isReal || isEmbedded)) return mistakes;
  if (isReal && !isSet('SPONSOR_TOKEN')) {
    mistakes.push({
      key: 'SPONSOR_TOKEN',
      expected: 'a token here or in SPONSOR_TOKEN_FILE, because SPONSOR_AUTH is token',
      got: 'neither',
    });
  }
  const hasCredentials = isSet('CLIENTS_FILE') || isSet('JWT_JWKS_URL');
  const allowsAnonymous = values.SPONSOR_ALLOW_ANONYMOUS ?? isEmbedded;
  if (!allowsAnonymous && !hasCredentials) {
    mistakes.push({
      key: 'SPONSOR_ALLOW_ANONYMOUS',
      expected:
        'CLIENTS_FILE or JWT_JWKS_URL to be set, or true here, because SPONSOR_AUTH is token (or set SPONSOR_AUTH=forward)',
      got: values.SPONSOR_ALLOW_ANONYMOUS === false ? 'false' : 'nothing',
    });
  }
  if (isReal && values.CORS_ORIGINS === '*' && (allowsAnonymous || !hasCredentials)) {
    mistakes.push({
      key: 'CORS_ORIGINS',
      expected: 'a list of origins, because anonymous callers may spend the gas of a real sponsor',
      got: isSet('CORS_ORIGINS') ? '*' : 'nothing, which means *',
    });
  }
  return mistakes;
}

/** Several workers or instances must share the store, because one may execute what another reserved. */
function checkWorkers(settings: Settings): ConfigMistake[] {
  const { values, isSet } = settings;
  const isReal = isSet('LEDGER_GRAPHQL_URL') && isSet('SPONSOR_URL');
  const hasSponsor = isReal || !isSet('LEDGER_GRAPHQL_URL');
  // `auto` is never a mistake: it means one process if processes could not share sponsorship.
  const workers = values.WORKERS === 'auto' || values.WORKERS === 1 ? null : `WORKERS=${values.WORKERS}`;
  const mistakes: ConfigMistake[] = [];
  if (hasSponsor && workers !== null && !isSet('REDIS_URL')) {
    const sponsor = isReal ? 'SPONSOR_URL' : 'the sponsor of the embedded network';
    const expected = `a Redis in which workers share sponsorship records, because of ${workers} and ${sponsor} (or set WORKERS=1)`;
    mistakes.push({ key: 'REDIS_URL', expected, got: 'nothing' });
  }
  const shared = isSet('REDIS_URL') ? 'REDIS_URL' : workers;
  if (isReal && toSponsorAuth(settings) === 'token' && shared !== null && !isSet('LEASE_KEYS')) {
    const expected = `keys here or in LEASE_KEYS_FILE: with ${shared} and SPONSOR_AUTH=token, all instances and workers need the same ones`;
    mistakes.push({ key: 'LEASE_KEYS', expected, got: 'neither' });
  }
  return mistakes;
}

function checkPages({ values }: Settings): ConfigMistake[] {
  const { LIMIT_DEFAULT_PAGE_SIZE: size, LIMIT_MAX_PAGE_SIZE: max, LIMIT_MAX_EVENT_CALLS: maxCalls } = values;
  const mistakes: ConfigMistake[] = [];
  if (size !== null && size > max) {
    const expected = `at most ${max}, the value of LIMIT_MAX_PAGE_SIZE`;
    mistakes.push({ key: 'LIMIT_DEFAULT_PAGE_SIZE', expected, got: String(size) });
  }
  const needed = Math.ceil(max / itemsPerCall) + maxSpareCalls;
  if (maxCalls < needed) {
    const expected = `at least ${needed}, the calls that one page of ${max} items (LIMIT_MAX_PAGE_SIZE) may take`;
    mistakes.push({ key: 'LIMIT_MAX_EVENT_CALLS', expected, got: String(maxCalls) });
  }
  return mistakes;
}
