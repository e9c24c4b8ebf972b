import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { createClient, type KeyStore } from '../client/client.ts';
import { GatewayError } from '../client/gateway-error.ts';
import { anyText, jsonObject, url } from '../config/value-types.ts';
import type { CliWorld } from './cli-world.ts';
import { defineCommand, type GivenOptions } from './command.ts';
import { defaultUrl } from './run-serve.ts';

const tailOptions = {
  url: {
    type: url('http', 'https'),
    shown: 'URL',
    about: `GraphQL endpoint of the gateway (${defaultUrl})`,
  },
  filter: { type: jsonObject, shown: 'JSON', about: 'filter as in liveEvents: \'{"sender":"0x2"}\' (all)' },
  transactions: { about: 'transactions instead of events' },
  state: {
    type: anyText,
    shown: 'FILE',
    about: 'keep the cursor of the last line in FILE, and continue behind it',
  },
  after: { type: anyText, shown: 'CURSOR', about: 'continue behind this cursor instead' },
  'key-file': { type: anyText, shown: 'FILE', about: 'file with an API key' },
};

export const tailCommand = defineCommand({
  name: 'tail',
  usage: [['[options]', 'print events of a gateway as JSON lines, and continue where the last run ended']],
  options: tailOptions,
  examples: [
    'ledger-gateway tail --filter \'{"moveEventModule":{"package":"0xd0e","module":"greeter"}}\' --state cursor | jq .event.sender',
  ],
  run: runTail,
});

const fields = {
  liveEvents: 'event { id txDigest eventSeq packageId transactionModule sender type parsedJson bcs timestampMs }',
  liveTransactions: 'transaction { digest timestampMs checkpoint raw }',
};

const toDocument = (field: keyof typeof fields) => {
  const [type, filter] =
    field === 'liveEvents'
      ? ['LiveEventItem', 'EventStreamFilter']
      : ['LiveTransactionItem', 'TransactionStreamFilter'];
  return `subscription ($filter: ${filter}) { item: ${field}(filter: $filter) {
    ... on ${type} { cursor ${fields[field]} } ... on LiveGap { after before reason } ... on LiveMissed { count resumeAfter }
  } }`;
};

interface Item {
  readonly reason?: string;
  readonly count?: number;
}

/**
 * Prints events or transactions as JSON lines until a stop signal, or until the reader of the output has gone. With a state
 * file, the next run continues behind the last printed line.
 * @returns 0 stopped, 1 the gateway rejects the subscription or the file cannot be used
 */
async function runTail(
  { url: given, filter, transactions, after, state, 'key-file': keyFile }: GivenOptions<typeof tailOptions>,
  world: CliWorld,
): Promise<number> {
  const fail = (message: string) => {
    world.writeError(`ledger-gateway: ${message}\n`);
    return 1;
  };
  const stop = new AbortController();
  void world.stopRequested.then(() => stop.abort());
  try {
    const key = keyFile === null ? null : world.readFile(keyFile).trim();
    const client = createClient({ url: given ?? defaultUrl, headers: key === null ? {} : { 'x-api-key': key } });
    const document = toDocument(transactions ? 'liveTransactions' : 'liveEvents');
    const results = client.tail<{ item: Item }>(document, filter ? { filter } : {}, {
      after,
      ...(state !== null && { store: createStore(state) }),
      signal: stop.signal,
      onRetry: ({ code, message }, delayMs) =>
        world.writeError(`ledger-gateway: ${code}: ${message} Retrying in ${Math.ceil(delayMs / 1_000)} s.\n`),
    });
    for await (const { data, errors } of results) {
      const { item } = data ?? {};
      // The client has the skipped items sent again.
      if (item && item.count === undefined) {
        const line = item.reason === undefined ? item : { gap: item };
        if (!(await world.writeLine(JSON.stringify(errors.length > 0 ? { ...line, errors } : line)))) return 0;
      }
    }
    return 0;
  } catch (error) {
    const code = error instanceof GatewayError ? `${error.code}: ` : '';
    return fail(`${code}${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The client writes a cursor once the line of its item was written. */
function createStore(path: string): KeyStore {
  return {
    getItem: () => (existsSync(path) ? readFileSync(path, 'utf8').trim() || null : null),
    setItem: (_, cursor) => writeState(path, cursor),
    removeItem() {
      throw new Error(
        `The gateway rejects the cursor in ${path}. Delete the file to begin now; lines are missing then.`,
      );
    },
  };
}

/** Replaces the file in one step, so that a crash leaves the earlier cursor or the new one. */
function writeState(path: string, cursor: string): void {
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeSync(file, `${cursor}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}
