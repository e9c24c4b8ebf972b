import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import type { RawCall, RawListener, RawRequest, RawResponse } from '../../../src/upstream/raw-call.ts';
import { type ShareReadsOptions, shareReads } from '../../../src/upstream/share-reads.ts';
import { createUpstreamCall } from '../../../src/upstream/upstream-call.ts';
import { toCancelledError, UpstreamCallError } from '../../../src/upstream/upstream-call-error.ts';

/** What is reachable, in bytes. */
function settledHeapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

const answer = (text: string): RawResponse => ({
  status: 200,
  headers: new Map(),
  chunks: [Buffer.from(text)],
  size: text.length,
});

const read = (body: string, more: Partial<RawRequest> = {}): RawRequest => ({
  method: 'POST',
  path: '/graphql',
  headers: [],
  body,
  timeoutMs: 1_000,
  isShareable: true,
  ...more,
});

/** An upstream that answers when it is told to, and says at once when it is cut short. */
function heldUpstream(options: Partial<ShareReadsOptions> = {}) {
  const calls: { listener: RawListener; isCut: boolean }[] = [];
  const call: RawCall = (_request, listener) => {
    const made = { listener, isCut: false };
    calls.push(made);
    return {
      isSent: true,
      cancel: (cause) => {
        made.isCut = true;
        listener.failed(toCancelledError(cause));
      },
    };
  };
  return { calls, call: share(call, options) };
}

function share(call: RawCall, options: Partial<ShareReadsOptions> = {}): RawCall {
  return shareReads({ changes: { count: 0 }, ...options })(call);
}

/** What a caller hears, in order. */
function hearer(onHear = () => {}) {
  const heard: string[] = [];
  const hear = (what: string) => {
    heard.push(what);
    onHear();
  };
  const listener: RawListener = {
    answered: ({ chunks }) => hear(String(chunks[0])),
    failed: ({ failure }) => hear(failure),
  };
  return { heard, listener };
}

describe('identical concurrent reads', () => {
  it('are one call, and every caller receives its response once', () => {
    const { calls, call } = heldUpstream();
    const [one, two] = [hearer(), hearer()];
    const underWay = call(read('{a}'), one.listener);
    call(read('{a}'), two.listener);
    expect(calls).toHaveLength(1);
    calls[0]?.listener.answered(answer('x'));
    underWay.cancel('aborted');
    expect([one.heard, two.heard]).toEqual([['x'], ['x']]);
    expect(calls[0]?.isCut).toBe(false);
  });

  it('are one call only while it is young: a late caller does not depend on a lost call', () => {
    let nowMs = 5;
    const { calls, call } = heldUpstream({ now: () => nowMs });
    const heard = [0, 249, 250, 499].map((sinceMs) => {
      nowMs = 5 + sinceMs;
      const each = hearer();
      call(read('{a}'), each.listener);
      return each.heard;
    });
    expect(calls).toHaveLength(2);
    calls[0]?.listener.failed(new UpstreamCallError('timeout', 'lost'));
    calls[1]?.listener.answered(answer('x'));
    expect(heard).toEqual([['timeout'], ['timeout'], ['x'], ['x']]);
  });

  it('are separate calls if something was written between them', () => {
    const changes = { count: 0 };
    const { calls, call } = heldUpstream({ changes });
    const heard = Array.from({ length: 100 }, () => {
      changes.count += 1;
      const both = [hearer(), hearer()];
      for (const { listener } of both) call(read('{a}'), listener);
      return both.map((each) => each.heard);
    });
    // More of them are under way than a newcomer is compared with, and each pair is one call nevertheless.
    expect(calls).toHaveLength(100);
    for (const [index, { listener }] of calls.entries()) listener.answered(answer(String(index)));
    expect(heard.flat().flat()).toEqual(heard.flatMap((_, index) => [String(index), String(index)]));
    call(read('{a}'), hearer().listener);
    call(read('{a}'), hearer().listener);
    expect(calls).toHaveLength(101);
  });

  it('share a failure, and the next one calls again', () => {
    const { calls, call } = heldUpstream();
    const [one, two, next] = [hearer(), hearer(), hearer()];
    call(read('{a}'), one.listener);
    call(read('{a}'), two.listener);
    calls[0]?.listener.failed(new UpstreamCallError('interrupted', 'broke off'));
    call(read('{a}'), next.listener);
    calls[1]?.listener.answered(answer('y'));
    expect([one.heard, two.heard, next.heard]).toEqual([['interrupted'], ['interrupted'], ['y']]);
  });

  it('are called again after a response, also by a caller that asks during its delivery', () => {
    const { calls, call } = heldUpstream();
    const [inBetween, after] = [hearer(), hearer()];
    const one = hearer(() => call(read('{a}'), inBetween.listener));
    call(read('{a}'), one.listener);
    calls[0]?.listener.answered(answer('x'));
    expect(inBetween.heard).toEqual([]);
    calls[1]?.listener.answered(answer('y'));
    call(read('{a}'), after.listener);
    expect([calls.length, one.heard, inBetween.heard, after.heard]).toEqual([3, ['x'], ['y'], []]);
  });

  it.each(['aborted', 'timeout'] as const)(
    'do not suffer from a caller that is %s, which alone receives that',
    (cause) => {
      const { calls, call } = heldUpstream();
      const [left, stayed] = [hearer(), hearer()];
      const underWay = call(read('{a}'), left.listener);
      call(read('{a}'), stayed.listener);
      underWay.cancel(cause);
      underWay.cancel(cause);
      expect(calls[0]?.isCut).toBe(false);
      calls[0]?.listener.answered(answer('x'));
      expect([left.heard, stayed.heard]).toEqual([[cause], ['x']]);
    },
  );

  it('are cancelled when the last caller leaves, and a new caller starts its own call', () => {
    const { calls, call } = heldUpstream();
    const newcomer = hearer();
    const arrive = () => call(read('{a}'), newcomer.listener);
    const [left, last] = [hearer(), hearer(arrive)];
    const underWay = [left, last].map(({ listener }) => call(read('{a}'), listener));
    for (const each of underWay) each.cancel('aborted');
    expect(calls.map(({ isCut }) => isCut)).toEqual([true, false]);
    calls[1]?.listener.answered(answer('y'));
    expect([left.heard, last.heard, newcomer.heard]).toEqual([['aborted'], ['aborted'], ['y']]);
  });

  it('continue if one listener throws, and its error is reported', () => {
    const { calls, call } = heldUpstream();
    const fault = new Error('a fault of ours');
    const broken = hearer(() => {
      throw fault;
    });
    const others = [hearer(), hearer()];
    call(read('{a}'), (others[0] ?? broken).listener);
    call(read('{a}'), broken.listener);
    call(read('{a}'), (others[1] ?? broken).listener);
    expect(() => calls[0]?.listener.answered(answer('x'))).toThrow(fault);
    expect(others.map(({ heard }) => heard)).toEqual([['x'], ['x']]);
    call(read('{a}'), hearer().listener);
    expect(calls).toHaveLength(2);
  });

  it('let one listener cancel another, which then receives only that', () => {
    const { calls, call } = heldUpstream();
    const one = hearer(() => underWay.cancel('aborted'));
    const other = hearer();
    call(read('{a}'), one.listener);
    const underWay = call(read('{a}'), other.listener);
    calls[0]?.listener.answered(answer('x'));
    expect([one.heard, other.heard]).toEqual([['x'], ['aborted']]);
  });

  it('fail immediately if no call is possible, and leave nothing behind', () => {
    let calls = 0;
    const call = share((_request, listener) => {
      calls += 1;
      listener.failed(new UpstreamCallError('unreachable', 'closed'));
      return { isSent: false, cancel: () => {} };
    });
    const both = [hearer(), hearer()];
    for (const { listener } of both) call(read('{a}'), listener).cancel('aborted');
    expect([calls, ...both.map(({ heard }) => heard)]).toEqual([2, ['unreachable'], ['unreachable']]);
  });

  it('start again after all callers have left, even if the upstream has not noticed yet', () => {
    let calls = 0;
    const call = share(() => {
      calls += 1;
      return { isSent: true, cancel: () => {} };
    });
    for (let round = 0; round < 2; round += 1) call(read('{a}'), hearer().listener).cancel('aborted');
    expect(calls).toBe(2);
  });

  it('are shared with callers that wait for a promise', async () => {
    const { calls, call } = heldUpstream();
    const promised = createUpstreamCall(call);
    const request = { method: 'POST', path: '/graphql', body: '{a}', timeoutMs: 1_000, isShareable: true } as const;
    const impatient = createCancellation();
    const raw = hearer();
    call(read('{a}'), raw.listener);
    const [stayed, left] = [promised(request), promised({ ...request, cancellation: impatient })];
    const rejected = expect(left).rejects.toMatchObject({ failure: 'timeout' });
    impatient.cancel('timeout');
    await rejected;
    calls[0]?.listener.answered(answer('x'));
    expect([calls.length, String((await stayed).body), raw.heard]).toEqual([1, 'x', ['x']]);
  });
});

describe('a large shared response', () => {
  /** Takes an answer as it comes, and notes what it hears of it. */
  function streamer() {
    const { heard, listener } = hearer();
    return {
      heard,
      listener: {
        ...listener,
        stream: ({ chunks }: RawResponse) => {
          heard.push(`begun ${String(chunks[0])}`);
          return {
            data: (chunk: Buffer) => heard.push(String(chunk)) > 0,
            end: () => void heard.push('end'),
            failed: ({ failure }: UpstreamCallError) => void heard.push(failure),
          };
        },
      },
    };
  }
  const begin = (listener: RawListener | undefined) => listener?.stream?.(answer('x'), () => {}) ?? null;

  it('is streamed to a single caller, and a new caller starts its own call', () => {
    const { calls, call } = heldUpstream();
    const [alone, newcomer] = [streamer(), hearer()];
    call(read('{a}'), alone.listener);
    const sink = begin(calls[0]?.listener);
    call(read('{a}'), newcomer.listener);
    expect(calls).toHaveLength(2);
    sink?.data(Buffer.from('y'));
    sink?.end();
    expect([alone.heard, newcomer.heard]).toEqual([['begun x', 'y', 'end'], []]);
  });

  it('cuts the call when its caller cancels', () => {
    const { calls, call } = heldUpstream();
    const alone = streamer();
    const underWay = call(read('{a}'), alone.listener);
    begin(calls[0]?.listener);
    underWay.cancel('aborted');
    expect([calls[0]?.isCut, alone.heard]).toEqual([true, ['begun x']]);
  });

  it('is collected for several', () => {
    const { calls, call } = heldUpstream();
    const both = [streamer(), streamer()];
    for (const { listener } of both) call(read('{a}'), listener);
    expect(begin(calls[0]?.listener)).toBeNull();
    calls[0]?.listener.answered(answer('whole'));
    expect(both.map(({ heard }) => heard)).toEqual([['whole'], ['whole']]);
  });

  it('is collected for a caller that does not stream, and still shared', () => {
    const { calls, call } = heldUpstream();
    const [one, two] = [hearer(), streamer()];
    call(read('{a}'), one.listener);
    expect(begin(calls[0]?.listener)).toBeNull();
    call(read('{a}'), two.listener);
    calls[0]?.listener.answered(answer('whole'));
    expect([calls.length, one.heard, two.heard]).toEqual([1, ['whole'], ['whole']]);
  });
});

it('reads of a hundred thousand lengths leave nothing behind', () => {
  const { calls, call } = heldUpstream();
  const ask = (first: number, count: number) => {
    for (let length = first; length < first + count; length += 1) {
      call(read('x'.repeat(length)), hearer().listener);
      calls.pop()?.listener.answered(answer('whole'));
    }
    return settledHeapBytes();
  };
  const before = ask(1, 1_000);
  expect(ask(1_001, 100_000) - before).toBeLessThan(3_000_000);
}, 60_000);

describe('not shared:', () => {
  it('the 65th of different reads of one length, while 64 are in flight', () => {
    const { calls, call } = heldUpstream();
    const numbered = (index: number) => read(`{a${String(index).padStart(3, '0')}}`);
    const heard = Array.from({ length: 64 }, (_, index) => {
      const each = hearer();
      call(numbered(index), each.listener);
      return each.heard;
    });
    const [last, twin, known] = [hearer(), hearer(), hearer()];
    call(numbered(64), last.listener);
    call(numbered(64), twin.listener);
    expect(calls).toHaveLength(66);
    // Those under way are shared as before, and so are newcomers of another length.
    call(numbered(63), known.listener);
    expect(calls).toHaveLength(66);
    for (const other of [hearer(), hearer()]) call(read('{other}'), other.listener);
    expect(calls).toHaveLength(67);
    for (const [index, { listener }] of calls.entries()) listener.answered(answer(String(index)));
    expect(heard).toEqual(Array.from({ length: 64 }, (_, index) => [String(index)]));
    expect([last.heard, twin.heard, known.heard]).toEqual([['64'], ['65'], ['63']]);
    // There is room again.
    for (const other of [hearer(), hearer()]) call(numbered(64), other.listener);
    expect(calls).toHaveLength(68);
  });

  it.each([
    ['another body', read('{b}')],
    ['another path', read('{a}', { path: '/other' })],
    ['another method', read('{a}', { method: 'GET' })],
    ['a request that is not marked', read('{a}', { isShareable: false })],
    ['bytes', { ...read(''), body: new TextEncoder().encode('{a}') }],
  ])('%s', (_, other) => {
    const { calls, call } = heldUpstream();
    const both = [hearer(), hearer()];
    call(read('{a}'), (both[0] ?? hearer()).listener);
    call(other, (both[1] ?? hearer()).listener);
    expect(calls).toHaveLength(2);
    calls[0]?.listener.answered(answer('x'));
    calls[1]?.listener.answered(answer('y'));
    expect(both.map(({ heard }) => heard)).toEqual([['x'], ['y']]);
  });
});
