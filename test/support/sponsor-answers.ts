import type { ErrorCode } from '../../src/errors/catalogue.ts';
import type { SponsorEndpoint } from '../../src/sponsor/sponsor-response.ts';

/** What a rejected call leaves behind. */
export type Fate =
  /** The lease is spent, the hold released; the key repeats the rejection. */
  | 'refused'
  /** As `refused`, if the ledger does not have the transaction. */
  | 'refused unless found'
  /** The lease can be used again, its hold stays; the key is free. */
  | 'kept'
  /** Outcome unknown: the lease is spent, the hold stays; the key looks the transaction up. */
  | 'unknown'
  /** Nothing was reserved: the hold is released, the key is free. */
  | 'not reserved'
  /** Coins may be locked: the hold stays, and the key fails until they return. */
  | 'maybe reserved';

export interface SponsorAnswerRow {
  /** Where the service writes this: repository, pull request or file, commit. */
  readonly source: string;
  readonly endpoint: Extract<SponsorEndpoint, 'reserveGas' | 'executeTx'>;
  readonly status: number;
  /** Error text in the envelope. `DIGEST` and `NUMBER` stand for those that were sent. */
  readonly text: string;
  readonly code: ErrorCode;
  readonly fate: Fate;
  /** What the client is told. `null`: a sentence of the gateway. */
  readonly message: string | null;
}

const station = (file: string) => `iotaledger/gas-station ${file}`;
const coinBinding = station('ready_for_execution.lua@14a57f7d (gas-station#175)');
const grpc = station('iota_client.rs (gas-station#171), iotaledger/iota-rust-sdk api/common.rs@032f854b');
const core = station('gas_station_core.rs (gas-station#175)');
const older = station('gas_station_core.rs@553f03b0');
const pool = (file: string) => `MystenLabs/sui-gas-pool ${file}@638e4fc`;
const node = 'iotaledger/iota transaction_orchestrator.rs over gRPC (gas-station#171)';
const jsonRpc = 'iotaledger/iota json-rpc error.rs over jsonrpsee (gas-station before #171)';

const sha = '4fd3185ed8382bfc24fc87b6766d45f88b9db17d';
export const redis6 = (error: string) =>
  `An error was signalled by the server - ResponseError: Error running script (call to f_${sha}): @user_script:23: user_script:23: ${error}`;
export const redis7 = (error: string) =>
  `An error was signalled by the server - ResponseError: user_script:23: ${error} script: ${sha}, on @user_script:23.`;
const submitted = (error: string) => `execute_transaction error for DIGEST: ${error}`;
const perItem = (code: number, sentence: string) => submitted(`server error (code ${code}): ${sentence}`);
/** As tonic 0.14 writes a status. Older versions wrote the code's name. */
const transport = (code: string, message: string) =>
  submitted(`grpc error: code: '${code}', message: ${JSON.stringify(message)}`);
const called = (message: string, code = 'ServerError(-32002)') =>
  `RPC call failed: ErrorObject { code: ${code}, message: ${JSON.stringify(message)}, data: None }`;

const id = `0x${'7'.padStart(64, '0')}`;
const inputs =
  'Transaction execution failed due to issues with transaction inputs, please review the errors and try again:';
const staleObject = `Object ID ${id} Version 0x7 Digest 5fX2xzFeULF5XhHLu3iLNotiKiR5bu8CVwJC9j5X6GBa is not available for consumption, current version: 0x8`;
const noObject = `Could not find the referenced object ${id} at version None`;
const wrongSignature = 'Invalid user signature: Signature is not valid: Fail to verify user sig';

type Told = string | null;
/** The client is told the text as it is. */
const same = 'the same';

const row = (
  endpoint: SponsorAnswerRow['endpoint'],
  source: string,
  text: string,
  code: ErrorCode,
  fate: Fate,
  message: Told = same,
  status = 500,
): SponsorAnswerRow => ({ endpoint, source, text, code, fate, message: message === same ? text : message, status });

type Rest = readonly [source: string, text: string, ...told: [message?: Told, status?: number]];
const executing =
  (code: ErrorCode, fate: Fate) =>
  ([source, text, ...told]: Rest) =>
    row('executeTx', source, text, code, fate, ...told);
const reserving =
  (code: ErrorCode, fate: Fate) =>
  ([source, text, ...told]: Rest) =>
    row('reserveGas', source, text, code, fate, ...told);

const rejected: Rest[] = [
  [core, 'Sponsor Address("0x5") is not registered'],
  [core, 'Transaction must pay with at least one gas coin'],
  [core, 'Transaction pays with 300 gas coins, but the protocol accepts fewer than 256'],
  [core, 'Unrecognized transaction command variant; rejecting as unsafe by default'],
  [core, 'Gas coin can only be used to pay gas'],
  [older, `Sponsor ${id} is not registered`],
  [station('rpc/server.rs@553f03b0'), 'Invalid bcs bytes for TransactionData', same, 400],
  [station('rpc/server.rs@553f03b0'), 'Error while checking access. EventId=1f0e-22', same, 400],
  [pool('src/rpc/server.rs'), 'Transaction has too many input objects. The maximum allowed is 50', same, 400],
  [pool('src/rpc/server.rs'), 'Failed to get input objects from transaction'],
  [pool('src/gas_pool/gas_pool_core.rs'), 'Sender cannot match sponsor'],
  [pool('src/object_locks.rs'), `Object is already locked: ${id}`],
  [pool('src/object_locks.rs'), `Object version is out of date: ${id}, provided: 7, latest: 8`],
  [grpc, perItem(3, wrongSignature), wrongSignature],
  [grpc, perItem(3, 'Invalid user signature: Cannot parse scheme at 10.0.0.7'), 'Invalid user signature'],
  [grpc, transport('Client specified an invalid argument', wrongSignature), wrongSignature],
  [jsonRpc, called(wrongSignature), wrongSignature],
  [
    jsonRpc,
    called(`${inputs} Gas price 1 under reference gas price (RGP) 1000.`),
    `${inputs} Gas price 1 under reference gas price (RGP) 1000.`,
  ],
  [jsonRpc, 'Expect 1 signer signatures but got 2'],
];

/** The transaction may have run in an attempt of the sponsor whose answer was lost. */
const rejectedUnlessFound: Rest[] = [
  [grpc, perItem(3, 'Invalid transaction: Transaction Expired'), 'Invalid transaction: Transaction Expired'],
  [node, perItem(3, `${inputs} ${staleObject}.`), `${inputs} ${staleObject}.`],
  [
    node,
    perItem(3, `${inputs} ${noObject}, Gas price cannot exceed 100000.`),
    `${inputs} ${noObject}, Gas price cannot exceed 100000.`,
  ],
  [node, perItem(3, 'Invalid transaction: of a kind that was added later'), null],
  [node, perItem(9, 'the epoch has ended'), null],
  [node, perItem(9, wrongSignature), wrongSignature],
  [node, perItem(5, 'not here'), null],
  [grpc, transport('The request does not have valid authentication credentials', 'basic auth is missing'), null],
  [grpc, transport("The system is not in a state required for the operation's execution", 'no executor'), null],
  [
    'hyperium/tonic status.rs before 0.14',
    submitted(
      `grpc error: status: PermissionDenied, message: "no", details: [], metadata: MetadataMap { headers: {} }`,
    ),
    null,
  ],
  [jsonRpc, called(`${inputs} ${noObject}.`), `${inputs} ${noObject}.`],
];

const unused =
  'The transaction must pay with all gas coins of its reservation and no others. The reservation is unused.';
const foreignCoins = 'Gas coins in the transaction do not belong to reservation NUMBER';
const otherCount = 'Transaction pays with 2 gas coins but reservation NUMBER holds 1';
const kept: Rest[] = [
  [`${coinBinding}, Redis 6`, redis6(foreignCoins), unused],
  [`${coinBinding}, Redis 7`, redis7(foreignCoins), unused],
  [`${coinBinding}, Redis 6`, redis6(otherCount), unused],
  [`${coinBinding}, Redis 7`, redis7(otherCount), unused],
];

const gone = 'Reservation no longer exist: NUMBER';
const notFound: Rest[] = [
  [`${coinBinding}, Redis 6`, redis6(gone), gone],
  [`${coinBinding}, Redis 7`, redis7(gone), gone],
  [pool('ready_for_execution.lua'), redis7(gone), gone],
];

const unknown: Rest[] = [
  [node, perItem(14, 'timed-out before finality could be reached'), null],
  [node, perItem(14, 'system is overloaded'), null],
  [node, perItem(4, 'transaction DIGEST was submitted but not included in a checkpoint within the timeout'), null],
  [node, perItem(10, 'The transaction is already finalized but with different user signatures'), null],
  [node, perItem(10, 'Failed to sign transaction by a quorum of validators because of locked objects.'), null],
  [node, perItem(13, 'failed to rebuild tx DIGEST from local cache after checkpoint inclusion: gone'), null],
  [node, perItem(2, wrongSignature), null],
  [node, perItem(8, wrongSignature), null],
  [
    grpc,
    transport(
      'Deadline expired before operation could complete',
      'gas station: internal per-attempt gRPC timeout exceeded',
    ),
    null,
  ],
  [grpc, transport('The service is currently unavailable', 'tcp connect error'), null],
  [
    'hyperium/tonic status.rs infer_grpc_status',
    transport(
      'Operation is not implemented or not supported',
      'grpc-status header missing, mapped from HTTP status code 404',
    ),
    null,
  ],
  [grpc, submitted('protocol error: empty response field: transaction_results'), null],
  [grpc, submitted('stream ended unexpectedly: server indicated more results with has_next=true'), null],
  [grpc, 'missing effects in execute_transaction response for DIGEST: missing field effects', null],
  [jsonRpc, called('Transaction timed out before reaching finality', 'ServerError(-32050)'), null],
  [jsonRpc, called(staleObject), null],
  [pool('src/rpc/server.rs'), 'Failed to execute transaction: Missing transaction effects', null],
  [pool('src/sui_client.rs'), 'No effects', null],
  [pool('src/rpc/server.rs'), 'Failed to spawn execute_tx task', null],
];

const initializer = pool('src/gas_pool/gas_pool_core.rs');

/** Error answers as today's services write them, one line each, with what the gateway makes of them. */
export const sponsorAnswers: readonly SponsorAnswerRow[] = [
  ...rejected.map(executing('SPONSOR_REJECTED', 'refused')),
  ...rejectedUnlessFound.map(executing('SPONSOR_REJECTED', 'refused unless found')),
  ...kept.map(executing('SPONSOR_REJECTED', 'kept')),
  ...notFound.map(executing('RESERVATION_NOT_FOUND', 'refused')),
  executing(
    'SPONSOR_UNAUTHORIZED',
    'refused',
  )([station('rpc/server.rs@553f03b0'), 'Invalid authorization token', same, 401]),
  executing(
    'SPONSOR_FORBIDDEN',
    'refused',
  )([station('rpc/server.rs@553f03b0'), 'Access denied by access controller', same, 403]),
  ...unknown.map(executing('EXECUTION_OUTCOME_UNKNOWN', 'unknown')),
  reserving(
    'SPONSOR_EXHAUSTED',
    'not reserved',
  )([initializer, 'Gas pool is not initialized and coin-init-config is not configured']),
  reserving(
    'SPONSOR_MAINTENANCE',
    'not reserved',
  )([initializer, 'Gas pool initialization is in progress, please retry shortly']),
  reserving(
    'SPONSOR_EXHAUSTED',
    'not reserved',
  )([pool('src/gas_pool/gas_usage_cap.rs'), 'Gas usage exceeds daily cap']),
  reserving(
    'SPONSOR_EXHAUSTED',
    'not reserved',
  )([station('storage/redis/mod.rs@14a57f7d'), 'Unable to reserve gas coins for the given budget.']),
  reserving(
    'SPONSOR_MAINTENANCE',
    'not reserved',
  )([
    station('storage/redis/mod.rs@14a57f7d (gas-station#152)'),
    'Gas station is in maintenance mode. Please try again later.',
    same,
    503,
  ]),
  reserving('SPONSOR_REJECTED', 'not reserved')([core, 'Gas budget must be less than 2000000000', same, 400]),
  reserving(
    'SPONSOR_UNAUTHORIZED',
    'not reserved',
  )([station('rpc/server.rs@553f03b0'), 'Authorization token is required or invalid', same, 401]),
  reserving('UPSTREAM_BAD_RESPONSE', 'maybe reserved')([station('storage/redis/mod.rs@14a57f7d'), 'broken pipe', null]),
];

/** The text for an execution of this transaction with this number. */
export function toAnswerText(template: string, digest: string, number: string): string {
  return template.replaceAll('DIGEST', digest).replaceAll('NUMBER', number);
}

/** For `it.each`, whose `%s` shows source and text whole. */
export function titled(rows: readonly SponsorAnswerRow[]): [title: string, row: SponsorAnswerRow][] {
  return rows.map((row) => [`${row.source}: ${row.status} ${row.text}`, row]);
}
