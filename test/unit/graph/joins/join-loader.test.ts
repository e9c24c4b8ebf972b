import { type ExecutionResult, GraphQLError } from 'graphql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JoinSelection } from '../../../../src/graph/joins/join-document.ts';
import { createToJoinLookup, type JoinLookup } from '../../../../src/graph/joins/join-document.ts';
import { createJoinLoader, type JoinLoaderOptions, OpenRoots } from '../../../../src/graph/joins/join-loader.ts';
import type { LedgerRequest } from '../../../../src/ledger/ledger-executor.ts';
import { createCancellation } from '../../../../src/upstream/cancellation.ts';

const selection = (name: string, variables: Record<string, string> = {}): JoinSelection => ({
  name,
  body: `fragment _ on Object{${name}}`,
  fragments: new Map([[name, `fragment ${name} on Object{${name}}`]]),
  variables: new Map(Object.entries(variables)),
  nodes: 1,
  bytes: 40,
});
const lookup = (id: string, of = selection('J0')): JoinLookup =>
  createToJoinLookup({ field: 'object', id: 'address', selection: of })({ id });

/** Answers every alias with the text it was asked with, and remembers what it was asked. */
function scripted(answer: (result: ExecutionResult, count: number) => ExecutionResult = (result) => result) {
  const texts: string[] = [];
  const variables: unknown[] = [];
  return {
    texts,
    variables,
    execute: async (request: LedgerRequest): Promise<ExecutionResult> => {
      if (typeof request.document !== 'string') throw new Error('joins are asked for by text');
      texts.push(request.document);
      variables.push(request.variables);
      const ids = [...request.document.matchAll(/(k\d+):object\(address:"([^"]*)"/g)];
      return answer({ data: Object.fromEntries(ids.map(([, alias, id]) => [alias, id])) }, texts.length);
    },
  };
}

const createLoader = (options: Omit<JoinLoaderOptions, 'roots'>, roots = new OpenRoots()) =>
  createJoinLoader({ ...options, roots });

const roomy = { maxQueryNodes: 300, maxQueryPayloadSize: 5_000 };
const values = (answers: readonly (object | Error)[]) =>
  answers.map((each) => (each instanceof Error ? each.message : (each as { value: unknown }).value));

describe('a join loader', () => {
  it('waits no longer than its operation goes on', async () => {
    const cancellation = createCancellation();
    const execute = ({ cancellation: heard }: LedgerRequest) =>
      new Promise<ExecutionResult>((_, reject) => heard?.onCancel((cause) => reject(new Error(cause))));
    const loader = createLoader({ execute, limits: roomy, variables: {}, cancellation });
    const loading = loader.load([lookup('a'), lookup('b')]);
    setImmediate(() => cancellation.cancel('aborted'));
    expect(values(await loading)).toEqual(['aborted', 'aborted']);
  });

  it('waits for root fields under way, and asks for the lookups of all of them together', async () => {
    const { execute, texts } = scripted();
    const roots = new OpenRoots();
    const [leaveFirst, leaveSecond, leaveFailed] = [roots.open(), roots.open(), roots.open()];
    const loader = createLoader({ execute, limits: roomy, variables: {} }, roots);
    leaveFirst();
    const first = loader.load([lookup('a')]);
    // Said twice, it counts once.
    leaveFirst();
    leaveFailed();
    for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(texts).toEqual([]);
    leaveSecond();
    const second = Promise.resolve().then(() => loader.load([lookup('b')]));
    expect([values(await first), values(await second), texts.length]).toEqual([['a'], ['b'], 1]);
  });

  it('asks for everything of one turn together, the same once, and answers each in its place', async () => {
    const { execute, texts } = scripted();
    const loader = createLoader({ execute, limits: roomy, variables: {} });
    const [first, second] = await Promise.all([
      loader.load([lookup('a'), lookup('b'), lookup('a')]),
      Promise.resolve().then(() => loader.load([lookup('c'), lookup('b')])),
    ]);
    expect(values(first)).toEqual(['a', 'b', 'a']);
    expect(values(second)).toEqual(['c', 'b']);
    expect(texts).toEqual([
      '{k0:object(address:"a"){...J0}k1:object(address:"b"){...J0}k2:object(address:"c"){...J0}}fragment J0 on Object{J0}',
    ]);
  });

  it('does not ask again what is known, until it is to reload it', async () => {
    const { execute, texts } = scripted((result, count) => (count === 1 ? { data: { k0: null } } : result));
    const loader = createLoader({ execute, limits: roomy, variables: {} });
    expect(values(await loader.load([lookup('a')]))).toEqual([null]);
    expect(values(await loader.load([lookup('a')]))).toEqual([null]);
    expect(texts).toHaveLength(1);
    expect(await loader.reload(lookup('a'))).toEqual({ value: 'a', errors: [] });
    expect(values(await loader.load([lookup('a')]))).toEqual(['a']);
    expect(texts).toHaveLength(2);
  });

  it('takes one key with two selections for two lookups', async () => {
    const { execute, texts } = scripted();
    const loader = createLoader({ execute, limits: roomy, variables: {} });
    await loader.load([lookup('a'), lookup('a', selection('J1'))]);
    expect(texts).toEqual([
      '{k0:object(address:"a"){...J0}k1:object(address:"a"){...J1}}fragment J0 on Object{J0}fragment J1 on Object{J1}',
    ]);
  });

  it('splits where the ledger would refuse, and answers in order all the same', async () => {
    const { execute, texts } = scripted();
    const loader = createLoader({ execute, limits: { ...roomy, maxQueryNodes: 6 }, variables: {} });
    const ids = ['a', 'b', 'c', 'd', 'e'];
    expect(values(await loader.load(ids.map((id) => lookup(id))))).toEqual(ids);
    expect(texts).toHaveLength(3);
  });

  it('has at most four requests in flight, and sends the others when one of them ends', async () => {
    const ends: (() => void)[] = [];
    let inFlight = 0;
    const execute = async (): Promise<ExecutionResult> => {
      inFlight += 1;
      await new Promise<void>((resolve) => ends.push(resolve));
      inFlight -= 1;
      return { data: { k0: 'a' } };
    };
    const loader = createLoader({ execute, limits: { ...roomy, maxQueryNodes: 3 }, variables: {} });
    const loading = loader.load(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => lookup(id)));
    const seen: number[] = [];
    for (let ended = 0; ended < 6; ended += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(inFlight);
      ends[ended]?.();
    }
    expect(values(await loading)).toEqual(Array(6).fill('a'));
    expect(seen).toEqual([4, 4, 4, 3, 2, 1]);
  });

  it('sends the variables that the selections use, and counts no others against the bound of a request', async () => {
    const { execute, texts, variables } = scripted();
    const loader = createLoader({
      execute,
      limits: { ...roomy, maxQueryPayloadSize: 300 },
      variables: { size: 3, unused: 'x'.repeat(1_000) },
    });
    const sized = selection('J0', { size: '$size:Int!' });
    expect(values(await loader.load([lookup('a', sized), lookup('b', sized)]))).toEqual(['a', 'b']);
    expect(texts).toEqual([
      'query($size:Int!){k0:object(address:"a"){...J0}k1:object(address:"b"){...J0}}fragment J0 on Object{J0}',
    ]);
    expect(variables).toEqual([{ size: 3 }]);
  });

  it('counts the variables against the bound of each request, in bytes', async () => {
    const { execute, texts, variables } = scripted();
    const size = 'é'.repeat(150);
    const loader = createLoader({ execute, limits: { ...roomy, maxQueryPayloadSize: 700 }, variables: { size } });
    const sized = selection('J0', { size: '$size:String!' });
    const ids = Array.from({ length: 12 }, (_, index) => `id-${index}`);
    expect(values(await loader.load(ids.map((id) => lookup(id, sized))))).toEqual(ids);
    expect(texts.length).toBeGreaterThan(1);
    const bodies = texts.map((query, index) =>
      Buffer.byteLength(JSON.stringify({ query, variables: variables[index] })),
    );
    expect(Math.max(...bodies)).toBeLessThanOrEqual(700);
  });

  it('sends no requests that would repeat more than a megabyte of variables, and one request with any', async () => {
    const ask = async (bytes: number, requests: number) => {
      const { execute, texts } = scripted();
      const variables = { size: 'x'.repeat(bytes - '{"size":""}'.length) };
      const loader = createLoader({ execute, limits: roomy, variables });
      const sized = selection('J0', { size: '$size:String!' });
      const ids = Array.from({ length: requests }, (_, index) => `id-${index}`);
      const answers = values(await loader.load(ids.map((id) => lookup(id, sized))));
      return [texts.length, new Set(answers).size === 1 ? answers[0] : answers.length];
    };
    // Each lookup takes a request of its own, since the ledger would reject these variables anyway.
    expect(await ask(2 ** 20, 2)).toEqual([2, 2]);
    expect(await ask(2 ** 18, 5)).toEqual([5, 5]);
    const refused = 'The joins take 5 requests to the ledger, which would repeat 1048580 bytes of variables';
    expect(await ask(2 ** 18 + 1, 5)).toEqual([0, expect.stringContaining(refused)]);
    expect(await ask(2 ** 21, 1)).toEqual([1, 'id-0']);
  });

  it('gives each lookup its own errors, and those of nobody to all', async () => {
    const { execute } = scripted((result) => ({
      ...result,
      errors: [new GraphQLError('deep', { path: ['k1', 'owner'], extensions: { code: 'X' } }), new GraphQLError('all')],
    }));
    const loader = createLoader({ execute, limits: roomy, variables: {} });
    const answers = await loader.load([lookup('a'), lookup('b')]);
    expect(answers).toMatchObject([
      { errors: [{ message: 'all', path: undefined }] },
      {
        errors: [
          { message: 'deep', path: ['owner'], extensions: { code: 'X' } },
          { message: 'all', path: undefined },
        ],
      },
    ]);
  });

  it('answers with the failure where the ledger gives no answer', async () => {
    const { execute } = scripted((result, count) => {
      if (count === 1) throw new Error('gone');
      return result;
    });
    const loader = createLoader({ execute, limits: { ...roomy, maxQueryNodes: 3 }, variables: {} });
    expect(values(await loader.load([lookup('a'), lookup('b')]))).toEqual(['gone', 'b']);
  });

  it('looks at each of thousands of errors a few times, whatever is asked for with it', async () => {
    let looks = 0;
    const errors = Array.from({ length: 200 }, (_, index) => {
      const error = new GraphQLError('no');
      return Object.defineProperty(error, 'path', {
        get: () => {
          looks += 1;
          return [`k${index % 50}`, 'name'];
        },
      });
    });
    const { execute } = scripted((result) => ({ ...result, errors }));
    const loader = createLoader({ execute, limits: roomy, variables: {} });
    const answers = await loader.load(Array.from({ length: 50 }, (_, index) => lookup(`a${index}`)));
    expect(answers.map((each) => (each instanceof Error ? -1 : each.errors.length))).toEqual(Array(50).fill(4));
    expect(looks).toBeLessThan(5 * errors.length);
  });

  it('hands what is said of nothing in particular to each in its order', async () => {
    const errors = [
      new GraphQLError('first'),
      new GraphQLError('mine', { path: ['k0', 'name'] }),
      new GraphQLError('nobody’s', { path: ['elsewhere'] }),
      new GraphQLError('last'),
    ];
    const { execute } = scripted((result) => ({ ...result, errors }));
    const loader = createLoader({ execute, limits: roomy, variables: {} });
    const told = await loader.load([lookup('a'), lookup('b')]);
    expect(
      told.map((each) => (each instanceof Error ? [] : each.errors.map(({ message, path }) => [message, path]))),
    ).toEqual([
      [
        ['first', undefined],
        ['mine', ['name']],
        ['last', undefined],
      ],
      [
        ['first', undefined],
        ['last', undefined],
      ],
    ]);
  });
});

it('lookups that were sent when the last field resolved leave no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const roots = new OpenRoots();
  const leave = roots.open();
  let sent = 0;
  roots.onceIdle(() => {
    sent += 1;
  });
  expect([sent, vi.getTimerCount()]).toEqual([0, 1]);
  leave();
  await new Promise((resolve) => setImmediate(resolve));
  expect([sent, vi.getTimerCount()]).toEqual([1, 0]);
});

it('lookups wait a second at most for a slow field, each time', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const roots = new OpenRoots();
  roots.open();
  let sent = 0;
  const send = () => {
    sent += 1;
  };
  for (let round = 1; round <= 2; round += 1) {
    roots.onceIdle(send);
    vi.advanceTimersByTime(1_000);
    expect(sent).toBe(round);
  }
});
