import { GraphQLError, parse } from 'graphql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createOpenOperation, hangUpOn, type ServerContext } from '../../../src/operation/open-operation.ts';
import { toTestCaller } from '../../support/test-caller.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const timeouts = { queryMs: 1_000, mutationMs: 2_000 };

function open(text: string, operationName?: string, openOperation = createOpenOperation({ timeouts })) {
  const server: ServerContext = {
    requestId: 'r',
    sender: { authorization: null, apiKey: null, origin: undefined, remoteAddress: '', forwardedFor: undefined },
    isGone: () => false,
    onStanding: () => {},
    showUsage: false,
    operations: [],
  };
  const run = openOperation(server, { caller: toTestCaller(), document: parse(text), operationName });
  return { run, server, causeOf: () => run.context.cancellation.cause };
}

describe('an operation', () => {
  it.each([
    ['query', '{ a }', 1_000],
    ['mutation', 'mutation { a }', 2_000],
  ])('that is a %s has its own time', (_, text, timeMs) => {
    const { causeOf } = open(text);
    vi.advanceTimersByTime(timeMs - 1);
    expect(causeOf()).toBe(null);
    vi.advanceTimersByTime(1);
    expect(causeOf()).toBe('timeout');
  });

  it('is what its name says, in a document of several', () => {
    const { server, causeOf } = open('query A { a } mutation B { b }', 'B');
    expect(server.operations).toEqual([{ caller: toTestCaller().id, name: 'B', type: 'mutation', errors: 0 }]);
    vi.advanceTimersByTime(1_000);
    expect(causeOf()).toBe(null);
  });

  it.each([
    ['query', '{ a }'],
    ['mutation', 'mutation { a }'],
  ])('that is a %s is over when its caller hangs up: no more of it is begun', (_, text) => {
    const { run, causeOf } = open(text);
    run.hangUp();
    expect(causeOf()).toBe('aborted');
  });

  it('leaves no timer behind once it has ended, and is not ended twice', () => {
    const { run, causeOf } = open('{ a }');
    run.end();
    run.end();
    expect(vi.getTimerCount()).toBe(0);
    run.hangUp();
    expect(causeOf()).toBe(null);
  });
});

describe('its result', () => {
  it('has all its errors masked, and counted for the log', () => {
    const maskError = (_error: unknown, requestId: string) => new GraphQLError(`masked in ${requestId}`);
    const { run, server } = open('{ a b }', undefined, createOpenOperation({ timeouts, maskError }));
    const errors = ['the address of a', 'the address of b'].map((message) => new GraphQLError(message));
    const result = run.finish({ data: { a: null, b: null }, errors });
    expect(result.errors?.map(({ message }) => message)).toEqual(['masked in r', 'masked in r']);
    expect(server.operations).toMatchObject([{ errors: 2 }]);
  });

  it('without errors stays as it is', () => {
    const { run, server } = open('{ a }');
    const result = { data: { a: 1 } };
    expect(run.finish(result)).toEqual(result);
    expect(server.operations).toMatchObject([{ errors: 0 }]);
  });
});

describe('a signal that the caller is gone', () => {
  it('ends the operation, also if it came before', () => {
    const [before, after] = [new AbortController(), new AbortController()];
    const [first, second] = [open('{ a }'), open('{ a }')];
    before.abort();
    hangUpOn(before.signal, first.run);
    hangUpOn(after.signal, second.run);
    expect([first.causeOf(), second.causeOf()]).toEqual(['aborted', null]);
    after.abort();
    expect(second.causeOf()).toBe('aborted');
  });

  it('does nothing to one that has stopped listening', () => {
    const { run, causeOf } = open('{ a }');
    const connection = new AbortController();
    hangUpOn(connection.signal, run)();
    connection.abort();
    expect(causeOf()).toBe(null);
  });
});
