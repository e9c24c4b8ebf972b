import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LaneRecord } from '../../../src/telemetry/lane-record.ts';
import { requestLine } from '../../../src/telemetry/request-line.ts';

const operation = fc.record({
  caller: fc.string({ unit: 'binary' }),
  name: fc.option(fc.stringMatching(/^[_A-Za-z]\w{0,20}$/), { nil: null }),
  type: fc.constantFrom('query', 'mutation'),
  errors: fc.nat(),
});

it('the fields of a request are written as JSON writes them', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 3 }), fc.webPath(), fc.nat(), (operations, path, cents) => {
      const record = new LaneRecord('a-1.b_2', 'POST', path, 200, cents / 100, operations);
      expect(JSON.parse(`{${record[requestLine]()}}`)).toEqual(JSON.parse(JSON.stringify(record)));
      expect(Object.keys(JSON.parse(`{${record[requestLine]()}}`))).toEqual(Object.keys(record));
    }),
  );
});
