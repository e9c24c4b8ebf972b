import { configKey } from './config-key.ts';
import { defaults } from './defaults.ts';
import { filePath, integer, oneOf, secretFilePath, signingKeys, workerCount } from './value-kinds.ts';

export const operationKeys = {
  CONFIG_FILE: configKey({
    group: 'Operation',
    kind: filePath,
    fallback: null,
    description:
      'A JSON or YAML file with any of these keys at its top level, except this one. The environment wins over the file; an unknown key in the file is a mistake.',
    inForce: true,
  }),
  LOG_LEVEL: configKey({
    group: 'Operation',
    kind: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    fallback: 'info',
    description:
      'The least severe log line that is written. Logs are JSON, one object a line, on standard output; the lines of requests a tenth of a second late at most.',
    inForce: true,
  }),
  SCHEMA_POLL_MS: configKey({
    group: 'Operation',
    kind: integer(0, 86_400_000, 'milliseconds'),
    fallback: defaults.schemaPollMs,
    description: 'How often the ledger is asked whether its schema changed. `0`: never again after the first success.',
    inForce: true,
  }),
  SCHEMA_CACHE_FILE: configKey({
    group: 'Operation',
    kind: filePath,
    fallback: null,
    description:
      'Where the last good schema of the ledger and its limits are kept. A start while the ledger is down then knows the whole graph: what the sponsor and the events answer is served, and fields of the ledger fail with `UPSTREAM_UNAVAILABLE`. Unset, the ledger’s part is missing until it answers. A file that cannot be read or written costs a warning in the log, not the service.',
    inForce: true,
  }),
  IMMUTABLE_CACHE_BYTES: configKey({
    group: 'Operation',
    kind: integer(0, 4_294_967_296, 'bytes'),
    fallback: defaults.immutableCacheBytes,
    description:
      'Memory for answers of the ledger’s that never change, such as a final transaction or an object at a version: they are given again without asking the ledger, and HTTP caches are told that they may keep them. What is asked counts as ever. `0`: the ledger is asked each time, and nothing may be kept.',
    inForce: true,
  }),
  IMMUTABLE_CACHE_SECONDS: configKey({
    group: 'Operation',
    kind: integer(1, 604_800, 'seconds'),
    fallback: defaults.immutableCacheSeconds,
    description:
      'How long such an answer is given again, here and in HTTP caches, counted from when the ledger gave it. What a ledger has pruned since, or a test network that began anew has no more, is shown so long at most by a cache.',
    inForce: true,
  }),
  CURSOR_KEYS: configKey({
    group: 'Operation',
    kind: signingKeys,
    fallback: null,
    description:
      'Keys that sign the cursors of `queryEvents`, `queryTransactionBlocks`, `liveEvents` and `liveTransactions`, separated by commas: the first signs, all verify. Unset: instances on one Redis share a key that is kept there; without `REDIS_URL` cursors are good on this instance alone, on all its workers, until it ends.',
    inForce: true,
  }),
  CURSOR_KEYS_FILE: configKey({
    group: 'Operation',
    kind: secretFilePath,
    fallback: null,
    description: 'A file that holds the keys instead. Setting both is a mistake.',
    inForce: true,
  }),
  METRICS_PORT: configKey({
    group: 'Operation',
    kind: integer(0, 65_535),
    fallback: null,
    description: 'A port of its own for `/metrics`. Unset: metrics are answered to loopback peers on the main port.',
    inForce: false,
  }),
  DRAIN_MS: configKey({
    group: 'Operation',
    kind: integer(0, 600_000, 'milliseconds'),
    fallback: null,
    description:
      'How long the gateway goes on to serve after a signal to stop, while `/health/ready` says 503 on new connections too, so that load balancers send nothing more before it stops to listen. Unset: 5000 after SIGTERM, and 0 at a terminal or after another signal.',
    inForce: true,
  }),
  WORKERS: configKey({
    group: 'Operation',
    kind: workerCount,
    fallback: defaults.workers,
    description:
      'How many processes serve, on one address, with one count of attempts and one set of cursor keys. `auto`: one for each core that this process may use. Several of them beside a sponsor, the embedded one included, need `REDIS_URL`: without it a number above 1 is a mistake, and `auto` is 1.',
    inForce: true,
  }),
};
