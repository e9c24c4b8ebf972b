import { describe, expect, it } from 'vitest';
import { createRawLedger, type RawLedgerRequest } from '../../../src/ledger/raw-ledger.ts';
import { createRpcVersion } from '../../../src/ledger/rpc-version.ts';
import type { RawRequest } from '../../../src/upstream/raw-call.ts';

describe('a request to the ledger', () => {
  const content: RawLedgerRequest = {
    queryJson: '"{a}"',
    variables: undefined,
    operationName: null,
    isMutation: false,
    isClientsText: true,
    operation: undefined,
    usage: null,
    canStream: false,
  };

  /** The request that is sent. */
  const toPost = (given: Partial<RawLedgerRequest>): RawRequest => {
    const sent: RawRequest[] = [];
    const ledger = createRawLedger({
      rawCall(request) {
        sent.push(request);
        return { isSent: true, cancel() {} };
      },
      path: '/graphql',
      timeouts: { queryMs: 1_000, mutationMs: 2_000 },
      versionHeader: 'x-version',
      version: createRpcVersion(),
    });
    ledger({ ...content, ...given }, () => {});
    return sent[0] as RawRequest;
  };

  it.each<[Partial<RawLedgerRequest>, body: string, variablesText: string]>([
    [{}, '{"query":"{a}"}', ''],
    [{ variables: {} }, '{"query":"{a}"}', ''],
    [{ operationName: 'A"' }, '{"query":"{a}","operationName":"A\\""}', ''],
    [{ variables: { n: 1, no: null } }, '{"query":"{a}","variables":{"n":1,"no":null}}', '{"n":1,"no":null}'],
    [{ variables: { n: 1 }, operationName: 'A' }, '{"query":"{a}","variables":{"n":1},"operationName":"A"}', '{"n":1}'],
  ])('has only what the client sent: %j', (given, body, variablesText) => {
    expect(toPost(given)).toEqual({
      method: 'POST',
      path: '/graphql',
      headers: ['content-type', 'application/json', 'accept', 'application/json'],
      body,
      timeoutMs: 1_000,
      isShareable: true,
      variablesText,
      streamAboveBytes: Number.POSITIVE_INFINITY,
    });
  });

  it('is never shared for a mutation, which has its own timeout and runs on', () => {
    const facts = { timeoutMs: 2_000, runOnMs: 2_000, isShareable: false };
    expect(toPost({ isMutation: true })).toMatchObject(facts);
  });

  it('is encoded once above 16 KiB, and then compared by all of its bytes', () => {
    const usual = '{"query":"{a}","variables":{"t":""}}'.length;
    const facts = [0, 1].map((more) => {
      const { body, variablesText } = toPost({ variables: { t: 'x'.repeat(16 * 1024 - usual + more) } });
      return [body?.length, typeof body, variablesText === undefined];
    });
    expect(facts).toEqual([
      [16_384, 'string', false],
      [16_385, 'object', true],
    ]);
  });
});

const usage = { inputNodes: 1, outputNodes: 1, depth: 1, variables: 0, fragments: 0, queryPayload: 3 };

it.each([null, usage])(
  'a response that is kept is whole, even if its writer reuses its memory at once (usage %j)',
  (shown) => {
    const text = `{"data":{"a":"${'x'.repeat(12_000)}"}}`;
    const chunks = [Buffer.from(text)];
    const headers = new Map([
      ['content-type', 'application/json'],
      ['content-length', String(text.length)],
    ]);
    const ledger = createRawLedger({
      rawCall(_, listener) {
        listener.answered({ status: 200, headers, chunks, size: text.length, recycle: () => void chunks.splice(0) });
        return { isSent: true, cancel() {} };
      },
      path: '/graphql',
      timeouts: { queryMs: 1_000, mutationMs: 2_000 },
      versionHeader: 'x-version',
      version: createRpcVersion(),
    });
    const kept: string[] = [];
    const keep = (body: { readonly chunks: readonly Buffer[] }) =>
      void kept.push(Buffer.concat(body.chunks).toString());
    const request = { queryJson: '"{a}"', variables: undefined, operationName: null, isMutation: false };
    ledger(
      { ...request, isClientsText: true, operation: undefined, usage: shown, canStream: false, keep },
      (answer) => {
        if (answer.kind === 'plain') answer.body.recycle?.();
      },
    );
    expect(kept).toEqual([text]);
  },
);
