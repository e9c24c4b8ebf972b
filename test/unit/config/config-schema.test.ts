import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { toConfigSchema } from '../../../src/config/describe-config.ts';
import { withAddresses } from '../../../src/config/keys.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';

const validate = new Ajv2020({ allowUnionTypes: true }).compile(toConfigSchema(withAddresses([])));

/** Does the parser take this file? */
function isParsed(text: string): boolean {
  try {
    parseConfig({ env: { CONFIG_FILE: 'gateway.yaml' }, readFile: () => text });
    return true;
  } catch {
    return false;
  }
}

describe('the JSON Schema of a configuration file agrees with the parser on', () => {
  it.each([
    ['nothing', '', true],
    ['numbers and words', 'PORT: 8080\nLOG_LEVEL: warn\nGRAPHIQL: false', true],
    ['numbers as text', 'PORT: "8080"\nGRAPHIQL: "true"', true],
    ['empty values', 'PORT: ""\nLOG_LEVEL:\nCORS_ORIGINS: ""', true],
    ['a list', 'CORS_ORIGINS: [https://a.example, https://b.example]', true],
    ['one of a list', 'CORS_ORIGINS: https://a.example', true],
    ['an object', 'PROFILE_OVERRIDES: { headers: { version: x-version } }', true],
    ['a token of digits', 'SPONSOR_TOKEN: 0012345', true],
    ['a number over the bound', 'PORT: 65536', false],
    ['a number as text that is none', 'PORT: eighty', false],
    ['a word that is none of those', 'LOG_LEVEL: loud', false],
    ['an address of another scheme', 'LEDGER_GRAPHQL_URL: ftp://ledger.example', false],
    ['a list where there is one value', 'PORT: [1, 2]', false],
    ['a key that does not exist', 'PROT: 1', false],
    ['the name of another file', 'CONFIG_FILE: other.yaml', false],
  ])('%s', (_name, text, isRight) => {
    expect([isParsed(text), validate(parse(text) ?? {})]).toEqual([isRight, isRight]);
  });
});
