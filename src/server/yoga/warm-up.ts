import type { ServerContext } from '../../operation/server-context.ts';
import { graphqlPath, type YogaShell } from './yoga-shell.ts';

/** A query, an invalid document and a syntax error; none of them calls an upstream. */
const texts = ['{ __typename __schema { queryType { name } } }', '{ nothingOfThatName }', '{'];

const headers = { 'content-type': 'application/json', accept: 'application/json' };

/** Counted already, so that no rate limit is touched. */
const nobody: ReturnType<NonNullable<ServerContext['takeCounted']>> = {
  id: 'nobody',
  kind: 'ANONYMOUS',
  authorization: null,
  scopes: new Set(['read']),
  rate: { key: 'nobody', perMinute: 0 },
  gas: null,
  moveCalls: null,
};

/**
 * Serves a few requests without a client, because the first request of a process loads and compiles code for 0.1 s or more,
 * while all others wait. Nothing is logged or counted, and no upstream is called.
 */
export async function warmUp(yoga: YogaShell): Promise<void> {
  const address = `http://localhost${graphqlPath}`;
  for (const query of texts) {
    const body = JSON.stringify({ query });
    const asked = [
      yoga.fetch(address, { method: 'POST', headers, body }, toContext()),
      yoga.fetch(`${address}?query=${encodeURIComponent(query)}`, { headers }, toContext()),
    ];
    for (const each of asked) await (await each).text();
  }
}

function toContext(): ServerContext {
  return {
    requestId: 'warm-up',
    arrivedAt: performance.now(),
    sender: {
      authorization: null,
      apiKey: null,
      origin: undefined,
      remoteAddress: '127.0.0.1',
      forwardedFor: undefined,
    },
    isGone: () => false,
    onGone: () => {},
    takeCounted: () => nobody,
    onStanding: () => {},
    showUsage: true,
    operations: [],
    codes: [],
  };
}
