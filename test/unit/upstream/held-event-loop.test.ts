import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchKeySet } from '../../../src/callers/credentials/signing-keys.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import { connectUpstream } from '../../../src/upstream/connect-upstream.ts';
import { SharedConnection, usualSocketOptions } from '../../../src/upstream/sockets/shared-connection.ts';
import { holdLoop } from '../../support/hold-loop.ts';
import { type PeerInThread, startPeerInThread } from '../../support/peer-in-thread.ts';
import { until } from '../../support/until.ts';

describe('a response that arrived while the event loop was blocked counts as in time:', () => {
  let peer: PeerInThread;
  beforeAll(async () => {
    peer = await startPeerInThread();
  });
  afterAll(() => peer?.[Symbol.asyncDispose]());

  test.each([
    ['the deadline of the call', { timeoutMs: 200 }],
    ['the deadline of its operation', { timeoutMs: 60_000 }],
    ['the deadline of a mutation', { timeoutMs: 200, runOnMs: 1 }],
  ])('for %s', async (name, bounds) => {
    const { call, health, close } = connectUpstream({ name: 'ledger', urls: [peer.url], now: Date.now });
    // So that a connection is open.
    await call({ method: 'POST', path: '/', body: '{}', timeoutMs: 60_000 });
    for (let round = 0; round < 3; round += 1) {
      const cancellation = createCancellation(name.includes('operation') ? 200 : 60_000);
      const answered = call({ method: 'POST', path: '/', body: '{}', cancellation, ...bounds });
      await nextTurn();
      holdLoop(400);
      expect((await answered).body.toString()).toBe('{"data":{}}');
      cancellation.finish();
    }
    expect(health().state).toBe('up');
    await close();
  });

  test('on a WebSocket that was pinged just before', async () => {
    const seen: string[] = [];
    class SeenSocket extends SharedConnection<never, never> {
      opened(): void {
        seen.push('opened');
      }
      read(): void {}
      ask(): void {}
      left(): void {}
    }
    const options = { ...usualSocketOptions, beatMs: 100 };
    const url = peer.url.replace('http', 'ws');
    const socket = new SeenSocket(
      { url, headers: {}, options, unused() {}, closed: () => void seen.push('closed') },
      null,
    );
    await until(() => seen.length > 0, 'it is open');
    for (let turn = 0; turn < 12; turn += 1) {
      await nextTurn();
      holdLoop(150);
    }
    expect(seen).toEqual(['opened']);
    socket.close();
  });

  test('for a set of keys', async () => {
    const read = fetchKeySet({ url: peer.url, timeoutMs: 300, maxBytes: 1_000 }).catch(String);
    for (let turn = 0; turn < 2; turn += 1) {
      holdLoop(200);
      await nextTurn();
    }
    // Not that there was no answer.
    expect(await read).toContain('the answer is no set');
  });
});
