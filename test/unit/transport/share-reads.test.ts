import { describe, expect, it } from 'vitest';
import { type Cancellation, createCancellation } from '../../../src/transport/cancellation.ts';
import { shareReads } from '../../../src/transport/share-reads.ts';
import type { UpstreamCall, UpstreamRequest, UpstreamResponse } from '../../../src/transport/upstream-call.ts';
import { UpstreamCallError } from '../../../src/transport/upstream-call-error.ts';

const answer = (text: string): UpstreamResponse => ({ status: 200, headers: new Map(), body: Buffer.from(text) });

/** An upstream that answers when it is told to, and fails as the real call does when it is cut short. */
function heldUpstream() {
  const calls: {
    request: UpstreamRequest;
    resolve: (response: UpstreamResponse) => void;
    reject: (error: Error) => void;
  }[] = [];
  const call: UpstreamCall = (request) =>
    new Promise((resolve, reject) => {
      calls.push({ request, resolve, reject });
      request.cancellation?.onCancel(() => reject(new UpstreamCallError('aborted', 'cancelled')));
    });
  return { calls, call: shareReads(call) };
}

const read = (body: string, cancellation?: Cancellation): UpstreamRequest => ({
  method: 'POST',
  path: '/graphql',
  body,
  timeoutMs: 1_000,
  isShareable: true,
  cancellation,
});

describe('identical reads under way together', () => {
  it('are one call, and everybody gets its answer', async () => {
    const { calls, call } = heldUpstream();
    const both = [call(read('{a}')), call(read('{a}'))];
    calls[0]?.resolve(answer('x'));
    expect((await Promise.all(both)).map(({ body }) => String(body))).toEqual(['x', 'x']);
    expect(calls).toHaveLength(1);
  });

  it('share its failure too, and the next one asks again', async () => {
    const { calls, call } = heldUpstream();
    const both = [call(read('{a}')), call(read('{a}'))];
    calls[0]?.reject(new UpstreamCallError('interrupted', 'broke off'));
    for (const each of await Promise.allSettled(both))
      expect(each).toMatchObject({ reason: { failure: 'interrupted' } });
    const next = call(read('{a}'));
    calls[1]?.resolve(answer('y'));
    expect(String((await next).body)).toBe('y');
  });

  it('are answered anew once one has been answered: nothing is kept', async () => {
    const { calls, call } = heldUpstream();
    const first = call(read('{a}'));
    calls[0]?.resolve(answer('x'));
    await first;
    const second = call(read('{a}'));
    calls[1]?.resolve(answer('y'));
    expect(String((await second).body)).toBe('y');
  });

  it('do not suffer from one who gives up', async () => {
    const { calls, call } = heldUpstream();
    const impatient = createCancellation();
    const [left, stayed] = [call(read('{a}', impatient)), call(read('{a}'))];
    impatient.cancel('aborted');
    await expect(left).rejects.toMatchObject({ failure: 'aborted' });
    expect(calls[0]?.request.cancellation?.cause).toBe(null);
    calls[0]?.resolve(answer('x'));
    expect(String((await stayed).body)).toBe('x');
  });

  it('are cut short when nobody is left, and a newcomer starts a call of its own', async () => {
    const { calls, call } = heldUpstream();
    const impatient = createCancellation();
    const both = [call(read('{a}', impatient)), call(read('{a}', impatient))];
    impatient.cancel('aborted');
    for (const each of await Promise.allSettled(both)) expect(each).toMatchObject({ reason: { failure: 'aborted' } });
    expect(calls[0]?.request.cancellation?.cause).toBe('aborted');
    const newcomer = call(read('{a}'));
    calls[1]?.resolve(answer('y'));
    expect(String((await newcomer).body)).toBe('y');
  });

  it('tell a deadline from a caller who hung up', async () => {
    const { call } = heldUpstream();
    const late = createCancellation();
    late.cancel('timeout');
    await expect(call(read('{a}', late))).rejects.toMatchObject({ failure: 'timeout' });
  });
});

describe('what is not shared', () => {
  it.each([
    ['another body', read('{b}')],
    ['another path', { ...read('{a}'), path: '/other' }],
    ['a request that is not marked', { ...read('{a}'), isShareable: false }],
  ])('%s', async (_, other) => {
    const { calls, call } = heldUpstream();
    const both = [call(read('{a}')), call(other)];
    expect(calls).toHaveLength(2);
    calls[0]?.resolve(answer('x'));
    calls[1]?.resolve(answer('y'));
    expect((await Promise.all(both)).map(({ body }) => String(body))).toEqual(['x', 'y']);
  });
});
