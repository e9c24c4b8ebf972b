import { describe, expect, it } from 'vitest';
import { createTelemetry, type Telemetry } from '../../../src/telemetry/events.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { createReadableLines } from '../../../src/telemetry/readable-lines.ts';

/** What a person reads of what was told, without the time. */
function read(tell: (telemetry: Telemetry) => void): string[] {
  let text = '';
  const destination = createReadableLines({ write: (each) => (text += each), isColoured: false });
  tell(createTelemetry(createLogger({ level: 'info', destination })));
  return text.split('\n').map((line) => line.replace(/^\[\d\d:\d\d:\d\d\.\d{3}\] /, ''));
}

const request = { requestId: 'r-1', method: 'POST', path: '/graphql', status: 200, durationMs: 3.25 };

describe('at a terminal', () => {
  it('an event is one line: time, level, message and fields', () => {
    const service = { url: 'http://127.0.0.1:4000/graphql', devnet: true, schema: 'ledger', profile: 'ledger' };
    expect(read((telemetry) => telemetry.ready(service))).toEqual([
      'INFO: ready {"url":"http://127.0.0.1:4000/graphql","devnet":true,"schema":"ledger","profile":"ledger"}',
      '',
    ]);
  });

  it('a request is one line with its operations', () => {
    const operations = [
      { caller: 'web-app', name: 'Chain', type: 'query', plan: 'LOCAL', errors: 0, calls: 0, usage: null },
    ];
    expect(read((telemetry) => telemetry.requestAnswered({ ...request, operations }))).toEqual([
      'INFO: POST /graphql 200 in 3.25 ms · query Chain LOCAL by web-app · r-1',
      '',
    ]);
  });

  it('a request with errors shows their number for each operation, and all their codes', () => {
    const operations = [
      { caller: 'web-app', name: 'Chain', type: 'query', plan: 'LOCAL', errors: 2, calls: 0, usage: null },
      { caller: 'web-app', name: null, type: 'query', plan: 'SPLIT', errors: 1, calls: 1, usage: null },
    ];
    const codes = ['BAD_USER_INPUT', 'UPSTREAM_TIMEOUT'];
    expect(read((telemetry) => telemetry.requestAnswered({ ...request, operations, codes }))).toEqual([
      'INFO: POST /graphql 200 in 3.25 ms · query Chain LOCAL by web-app with 2 errors · query SPLIT by web-app with 1 error · BAD_USER_INPUT, UPSTREAM_TIMEOUT · r-1',
      '',
    ]);
  });

  it('a request without operations shows none', () => {
    expect(read((telemetry) => telemetry.requestAnswered({ ...request, status: 404, operations: [] }))).toEqual([
      'INFO: POST /graphql 404 in 3.25 ms · r-1',
      '',
    ]);
  });

  it('an error is shown with its stack below the line', () => {
    const [line, ...below] = read((telemetry) => telemetry.errorMasked(new Error('the disk is full'), 'r-1'));
    expect(line).toBe('ERROR: an unexpected error was masked {"requestId":"r-1"}');
    expect(below.join('\n')).toContain('the disk is full');
  });

  it('control characters of clients do not reach the terminal', () => {
    const path = '/\u001b[2Jgraphql';
    const told = read((telemetry) => {
      telemetry.requestAnswered({ ...request, path, operations: [] });
      telemetry.schemaUnavailable({ setting: 'A', host: 'b', reason: '\u009b31m\rfrom outside' });
    });
    expect(told[0]).toBe('INFO: POST /\\u001b[2Jgraphql 200 in 3.25 ms · r-1');
    expect(told.join('\n')).toContain('\\u009b31m\\u000dfrom outside');
  });
});
