import { openAdmission } from './admission/open-admission.ts';
import type { Config } from './config/config.ts';
import { connectUpstreams } from './start/connect-upstreams.ts';
import { openCursorKeys } from './start/open-cursor-keys.ts';
import { openListener } from './start/open-listener.ts';
import { openNetwork } from './start/open-network.ts';
import { openOwnSchema } from './start/open-own-schema.ts';
import { openShells } from './start/open-shells.ts';
import { watchSchema } from './start/watch-schema.ts';
import type { Logger } from './telemetry/create-logger.ts';
import { createTelemetry } from './telemetry/events.ts';

export { type Explanation, explainOperation } from './estimate/explain-operation.ts';
export type { JudgedRequest as ExplainRequest } from './estimate/judge-operation.ts';

export interface StartOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Milliseconds since the Unix epoch; tests pass their own. */
  readonly now?: () => number;
}

export interface RunningGateway extends AsyncDisposable {
  /** Scheme, host and port. */
  readonly url: string;
  /** Stops accepting, finishes what runs, closes what it opened. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * From configuration to a running service: connects the upstreams, reads the ledger's schema, opens the listener.
 * @throws SchemaCollisionError when the ledger's schema and ours have a name in common
 */
export async function startGateway(options: StartOptions): Promise<RunningGateway> {
  const opened: Closer[] = [];
  const closeAll = async () => {
    for (let closer = opened.pop(); closer; closer = opened.pop()) await closer();
  };
  try {
    const url = await open(options, (closer) => opened.push(closer));
    let closing: Promise<void> | undefined;
    const close = () => {
      closing ??= closeAll();
      return closing;
    };
    return { url, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

type Closer = () => unknown;

/** Opens everything in the order of need; what must be closed is handed to `defer`, and closed in reverse. */
async function open(
  { config, logger, now = Date.now }: StartOptions,
  defer: (closer: Closer) => void,
): Promise<string> {
  const telemetry = createTelemetry(logger);

  const network = await openNetwork(config, telemetry);
  defer(() => network.close());

  // Beside what follows: Redis may take a while to answer.
  const openingKeys = openCursorKeys(config);
  defer(async () => (await openingKeys).close());

  const outage = { began: telemetry.sharedCountsLost, ended: telemetry.sharedCountsBack };
  const admission = await openAdmission({ config, now, outage });
  const { limiter, addresses } = admission;
  defer(() => limiter.close());

  const upstreams = connectUpstreams({ config, network, telemetry, now });
  const { ledger } = upstreams;
  defer(() => upstreams.close());

  const own = { config, upstreams, limiter, cursorKeys: (await openingKeys).keys, now };
  const schema = await watchSchema({ config, ledger, telemetry, toOwnSchema: (news) => openOwnSchema(own, news) });
  defer(() => schema.keeper.stop());

  const shells = openShells({ config, admission, schema, ledger, telemetry });
  defer(() => shells.close());

  const listener = await openListener({ config, addresses, shells, schema, upstreams, telemetry, now });
  defer(() => listener.close());
  defer(() => upstreams.stop());

  const { origin } = schema.keeper.current;
  const devnet = config.upstreams.kind === 'devnet';
  telemetry.ready({ url: listener.graphqlUrl, devnet, schema: origin, profile: config.profile.name });
  if (config.notInForce.length > 0) telemetry.settingsIgnored(config.notInForce);
  return listener.url;
}
