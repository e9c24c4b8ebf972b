import type { AddressSetting } from './address-setting.ts';
import type { ConfigMistake } from './config-error.ts';
import { itemsPerCall, maxSpareCalls } from './event-calls.ts';
import type { ConfigKeyName, ConfigValues } from './keys.ts';
import { secretFiles } from './parse-values.ts';

/** Parsed values, and which keys were set. A key that was set wrongly counts as set and has its default as value. */
export interface Settings {
  readonly values: ConfigValues;
  readonly isSet: (name: string) => boolean;
  /** Settings beside those of the table. */
  readonly further: readonly AddressSetting[];
}

/** Who holds the sponsor's token. Unless `SPONSOR_AUTH` says so: the gateway if it was given one, or runs the embedded network. */
export function toSponsorAuth({ values, isSet }: Settings): 'forward' | 'token' {
  const tokenIsGiven = isSet('SPONSOR_TOKEN') || isSet('SPONSOR_TOKEN_FILE') || !isSet('LEDGER_GRAPHQL_URL');
  return values.SPONSOR_AUTH ?? (tokenIsGiven ? 'token' : 'forward');
}

/** Finds the mistakes that lie in combinations of settings. */
export function checkSettings(settings: Settings): ConfigMistake[] {
  return [
    ...checkCompany(settings),
    ...checkSecretFiles(settings),
    ...checkTokens(settings),
    ...checkSponsorship(settings),
    ...checkPages(settings),
    ...checkWorkers(settings),
    ...checkLeaseKeys(settings),
  ];
}

function checkCompany({ isSet, further }: Settings): ConfigMistake[] {
  const needs: readonly (readonly [string, ConfigKeyName])[] = [
    ['LEDGER_GRAPHQL_WS_URL', 'LEDGER_GRAPHQL_URL'],
    ['LEDGER_RPC_URL', 'LEDGER_GRAPHQL_URL'],
    ['LEDGER_RPC_WS_URL', isSet('LEDGER_GRAPHQL_URL') ? 'LEDGER_RPC_URL' : 'LEDGER_GRAPHQL_URL'],
    ['SPONSOR_URL', 'LEDGER_GRAPHQL_URL'],
    // Nothing real stands beside the embedded network.
    ...further.map(({ name }) => [name, 'LEDGER_GRAPHQL_URL'] as const),
    ['REDIS_SHARED_BY', 'REDIS_URL'],
    ['JWT_SCOPES_CLAIM', 'JWT_JWKS_URL'],
    ['JWT_GAS_PER_DAY', 'JWT_JWKS_URL'],
    ['JWT_MOVE_CALLS', 'JWT_JWKS_URL'],
  ];
  return needs
    .filter(([key, needed]) => isSet(key) && !isSet(needed))
    .map(([key, needed]) => ({ key, expected: `${needed} beside it`, got: `no ${needed}` }));
}

function checkSecretFiles({ isSet }: Settings): ConfigMistake[] {
  return secretFiles
    .filter(([secret, file]) => isSet(secret) && isSet(file))
    .map(([secret, file]) => ({ key: file, expected: `either ${secret} or ${file}`, got: 'both' }));
}

/** Signed by whomever, or made for whatever, a JWT is worth nothing: all three say whose it has to be. */
function checkTokens({ isSet }: Settings): ConfigMistake[] {
  const names = ['JWT_JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE'];
  const missing = names.filter((name) => !isSet(name)).join(' and ');
  if (missing === '') return [];
  return names.filter(isSet).map((key) => ({ key, expected: `${missing} beside it`, got: `no ${missing}` }));
}

function checkSponsorship(settings: Settings): ConfigMistake[] {
  const { values, isSet } = settings;
  const isReal = isSet('LEDGER_GRAPHQL_URL') && isSet('SPONSOR_URL');
  const isEmbedded = !isSet('LEDGER_GRAPHQL_URL');
  if (toSponsorAuth(settings) !== 'token' || !(isReal || isEmbedded)) return [];
  const mistakes: ConfigMistake[] = [];
  if (isReal && !isSet('SPONSOR_TOKEN') && !isSet('SPONSOR_TOKEN_FILE')) {
    mistakes.push({
      key: 'SPONSOR_TOKEN',
      expected: 'it, or SPONSOR_TOKEN_FILE, because SPONSOR_AUTH is token',
      got: 'neither',
    });
  }
  const hasCredentials = isSet('CLIENTS_FILE') || isSet('JWT_JWKS_URL');
  const allowsAnonymous = values.SPONSOR_ALLOW_ANONYMOUS ?? isEmbedded;
  if (!allowsAnonymous && !hasCredentials) {
    mistakes.push({
      key: 'SPONSOR_ALLOW_ANONYMOUS',
      expected: 'CLIENTS_FILE or JWT_JWKS_URL instead, or true, since SPONSOR_AUTH is token (or SPONSOR_AUTH=forward)',
      got: values.SPONSOR_ALLOW_ANONYMOUS === false ? 'false' : 'nothing',
    });
  }
  if (isReal && values.CORS_ORIGINS === '*' && (allowsAnonymous || !hasCredentials)) {
    mistakes.push({
      key: 'CORS_ORIGINS',
      expected:
        'the origins that may call, each by name, because anonymous callers may spend the gas of a real sponsor',
      got: isSet('CORS_ORIGINS') ? '*' : 'nothing, which is *',
    });
  }
  return mistakes;
}

/** Workers know only through Redis what one of them reserved and executed, whoever holds the sponsor's token. */
function checkWorkers(settings: Settings): ConfigMistake[] {
  const { isSet } = settings;
  const workers = severalWorkers(settings);
  const sponsor = isSet('LEDGER_GRAPHQL_URL') ? 'SPONSOR_URL' : 'the sponsor of the embedded network';
  const hasSponsor = !isSet('LEDGER_GRAPHQL_URL') || isSet('SPONSOR_URL');
  if (!hasSponsor || workers === null || isSet('REDIS_URL')) return [];
  const expected = `it beside ${workers} and ${sponsor}: workers share what they remember of sponsorship in Redis (or WORKERS=1)`;
  return [{ key: 'REDIS_URL', expected, got: 'nothing' }];
}

/** `auto` is never a mistake: it takes what can be shared into account. */
function severalWorkers({ values: { WORKERS: count } }: Settings): string | null {
  return count === 'auto' || count === 1 ? null : `WORKERS=${count}`;
}

/** What one process signed, the others must know: coins are reserved through one and spent through another. */
function checkLeaseKeys(settings: Settings): ConfigMistake[] {
  const { isSet } = settings;
  const beside = isSet('REDIS_URL') ? 'REDIS_URL' : severalWorkers(settings);
  if (!spendsRealGas(settings) || beside === null || isSet('LEASE_KEYS') || isSet('LEASE_KEYS_FILE')) return [];
  const expected = `it, or LEASE_KEYS_FILE, beside ${beside}, because SPONSOR_AUTH is token and all instances and workers need the same keys`;
  return [{ key: 'LEASE_KEYS', expected, got: 'neither' }];
}

function spendsRealGas(settings: Settings): boolean {
  const isReal = settings.isSet('LEDGER_GRAPHQL_URL') && settings.isSet('SPONSOR_URL');
  return isReal && toSponsorAuth(settings) === 'token';
}

function checkPages({ values }: Settings): ConfigMistake[] {
  const { LIMIT_DEFAULT_PAGE_SIZE: size, LIMIT_MAX_PAGE_SIZE: max, LIMIT_MAX_EVENT_CALLS: maxCalls } = values;
  const mistakes: ConfigMistake[] = [];
  if (size !== null && size > max) {
    mistakes.push({
      key: 'LIMIT_DEFAULT_PAGE_SIZE',
      expected: `at most LIMIT_MAX_PAGE_SIZE, ${max}`,
      got: String(size),
    });
  }
  const needed = Math.ceil(max / itemsPerCall) + maxSpareCalls;
  if (maxCalls < needed) {
    const expected = `at least ${needed}, what one page of LIMIT_MAX_PAGE_SIZE, ${max}, may take`;
    mistakes.push({ key: 'LIMIT_MAX_EVENT_CALLS', expected, got: String(maxCalls) });
  }
  return mistakes;
}
