import { expect, it } from 'vitest';
import * as api from '../../src/index.ts';

it('the package offers these names and no others', () => {
  expect(Object.keys(api).sort()).toEqual([
    'ConfigError',
    'SchemaCollisionError',
    'createLogger',
    'errorCatalogue',
    'gatewayError',
    'parseConfig',
    'startGateway',
  ]);
});
