import type { ServerContext } from '../../operation/server-context.ts';
import { graphqlPath, type YogaShell } from './yoga-shell.ts';

/** They ask no upstream. A query, a mistake in a document, one in its text. */
const texts = ['{ __typename __schema { queryType { name } } }', '{ nothingOfThatName }', '{'];

const headers = { 'content-type': 'application/json', accept: 'application/json' };

/** Counted already, so that nothing is: nobody's limit is touched. */
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
 * Serves a few requests of nobody's. The first request of a process loads and compiles what serves it, a tenth of a second
 * or more for its client and for all others that wait meanwhile. They are told to nobody: no line is logged, no counter
 * moves, no upstream is asked.
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
