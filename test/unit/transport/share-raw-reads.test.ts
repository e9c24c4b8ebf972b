import { describe, expect, it } from 'vitest';
import type { RawCall, RawListener, RawRequest, RawResponse } from '../../../src/transport/raw-call.ts';
import { shareRawReads } from '../../../src/transport/share-raw-reads.ts';
import { UpstreamCallError } from '../../../src/transport/upstream-call.ts';

const answer = (text: string): RawResponse => ({
  status: 200,
  headers: {},
  chunks: [Buffer.from(text)],
  size: text.length,
});
const read = (body: string): RawRequest => ({
  path: '/graphql',
  headers: [],
  body,
  timeoutMs: 1_000,
  isShareable: true,
});

/** An upstream that answers when it is told to. */
function heldUpstream() {
  const calls: { request: RawRequest; listener: RawListener; isCut: boolean }[] = [];
  const call: RawCall = (request, listener) => {
    const made = { request, listener, isCut: false };
    calls.push(made);
    return () => {
      made.isCut = true;
      listener.failed(new UpstreamCallError('aborted', 'cancelled'));
    };
  };
  return { calls, call: shareRawReads(call) };
}

/** What a caller hears, in order. */
function hearer() {
  const heard: string[] = [];
  const listener: RawListener = {
    answered: ({ chunks }) => heard.push(String(chunks[0])),
    failed: ({ failure }) => heard.push(failure),
  };
  return { heard, listener };
}

describe('identical raw reads under way together', () => {
  it('are one call, and everybody hears its answer once', () => {
    const { calls, call } = heldUpstream();
    const [one, two] = [hearer(), hearer()];
    const giveUp = call(read('{a}'), one.listener);
    call(read('{a}'), two.listener);
    expect(calls).toHaveLength(1);
    calls[0]?.listener.answered(answer('x'));
    giveUp();
    expect([one.heard, two.heard]).toEqual([['x'], ['x']]);
    expect(calls[0]?.isCut).toBe(false);
  });

  it('share a failure, and the next asks again', () => {
    const { calls, call } = heldUpstream();
    const [one, next] = [hearer(), hearer()];
    call(read('{a}'), one.listener);
    calls[0]?.listener.failed(new UpstreamCallError('interrupted', 'broke off'));
    call(read('{a}'), next.listener);
    calls[1]?.listener.answered(answer('y'));
    expect([one.heard, next.heard]).toEqual([['interrupted'], ['y']]);
  });

  it('do not suffer from one who gives up, who alone hears of it', () => {
    const { calls, call } = heldUpstream();
    const [left, stayed] = [hearer(), hearer()];
    const giveUp = call(read('{a}'), left.listener);
    call(read('{a}'), stayed.listener);
    giveUp();
    giveUp();
    expect(calls[0]?.isCut).toBe(false);
    calls[0]?.listener.answered(answer('x'));
    expect([left.heard, stayed.heard]).toEqual([['aborted'], ['x']]);
  });

  it('are cut short when nobody is left, and a newcomer starts a call of its own', () => {
    const { calls, call } = heldUpstream();
    const [left, newcomer] = [hearer(), hearer()];
    call(read('{a}'), left.listener)();
    expect(calls[0]?.isCut).toBe(true);
    call(read('{a}'), newcomer.listener);
    calls[1]?.listener.answered(answer('y'));
    expect([left.heard, newcomer.heard]).toEqual([['aborted'], ['y']]);
  });

  it.each([
    ['another body', read('{b}')],
    ['another path', { ...read('{a}'), path: '/other' }],
    ['one that is not marked', { ...read('{a}'), isShareable: false }],
  ])('are not shared with %s', (_, other) => {
    const { calls, call } = heldUpstream();
    call(read('{a}'), hearer().listener);
    call(other, hearer().listener);
    expect(calls).toHaveLength(2);
  });
});
