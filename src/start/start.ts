import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBook } from '../callers/credentials/client-book.ts';
import { openAdmission } from '../callers/open-admission.ts';
import type { Config } from '../config/config.ts';
import { type Explanation, explainOperation as explain } from '../estimate/explain-operation.ts';
import type { JudgedRequest } from '../estimate/judge-operation.ts';
import { FairTurns, thisEventLoop } from '../operation/fair-turns.ts';
import { createTelemetry } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import { connectUpstreams } from './connect-upstreams.ts';
import { type OpenListener, openListener } from './open-listener.ts';
import { openNetwork } from './open-network.ts';
import { openOwnSchema } from './open-own-schema.ts';
import { openShells } from './open-shells.ts';
import { createShareSecret, openLiveFleet, openSponsorshipStore } from './shared-stores.ts';
import type { Siblings } from './siblings.ts';
import { tellReady } from './tell-ready.ts';
import { type UpstreamList, upstreamList } from './upstreams.ts';
import { watchClientsOf } from './watch-clients.ts';
import { type LedgerNews, watchSchema } from './watch-schema.ts';
import { watchSecrets } from './watch-secrets.ts';

export type { Explanation, JudgedRequest as ExplainRequest };

export interface StartOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Milliseconds since the Unix epoch; tests pass their own. */
  readonly now?: () => number;
  /** The other processes that serve as this one gateway; left out: there are none. */
  readonly siblings?: Siblings;
}

export interface RunningGateway extends AsyncDisposable {
  /** Scheme, host and port. */
  readonly url: string;
  /** Reads again what may change while it serves, the files of clients and secrets, and tells in the log what came of it. */
  reload(): Promise<void>;
  /**
   * Serves on for `drainMs` (0) and says that it is about to leave; then stops accepting, finishes what runs, closes what it
   * opened. Safe to call twice.
   */
  close(drainMs?: number): Promise<void>;
}

/**
 * From configuration to a running service: connects the upstreams, reads the ledger's schema, opens the listener.
 * @throws SchemaCollisionError when the ledger's schema and ours have a name in common
 */
export function startGateway(options: StartOptions): Promise<RunningGateway> {
  return startGatewayOver(upstreamList, options);
}

/** The same over other upstreams than those there are; their settings must have been in the list that the configuration was read with. */
export async function startGatewayOver(list: UpstreamList, options: StartOptions): Promise<RunningGateway> {
  const opened: Closer[] = [];
  const closeAll = async () => {
    for (let closer = opened.pop(); closer; closer = opened.pop()) await closer();
  };
  try {
    const { url, reload, announceDrain } = await open(list, options, (closer) => opened.push(closer));
    let closing: Promise<void> | undefined;
    const drain = async (drainMs: number) => {
      announceDrain();
      if (drainMs > 0) await delay(drainMs);
      await closeAll();
    };
    const close = (drainMs = 0) => {
      closing ??= drain(drainMs);
      return closing;
    };
    return { url, reload, close, [Symbol.asyncDispose]: () => close() };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

type Closer = () => unknown;

/** Opens everything in the order of need; what must be closed is handed to `defer`, and closed in reverse. */
async function open(
  list: UpstreamList,
  { config, logger, now = Date.now, siblings: others }: StartOptions,
  defer: (closer: Closer) => void,
): Promise<Pick<RunningGateway, 'url' | 'reload'> & Pick<OpenListener, 'announceDrain'>> {
  const siblings = others ?? null;
  const telemetry = createTelemetry(logger);
  // What could not be opened needs no closing; whoever waits for it hears why.
  const deferClosing = (opening: Promise<{ close(): unknown }>) => {
    const settled = opening.catch(() => null);
    defer(async () => (await settled)?.close());
  };

  const network = await openNetwork(config, telemetry, siblings?.shared.network);
  defer(() => network.close());

  const outage = {
    began: (reason: string) => telemetry.sharedCountsLost(reason, 'REDIS_URL'),
    ended: telemetry.sharedCountsBack,
  };
  const signingKeys = {
    lost: (reason: string) => telemetry.signingKeysLost(reason, 'JWT_JWKS_URL'),
    back: telemetry.signingKeysBack,
    replaced: telemetry.signingKeysReplaced,
  };
  // Side by side: either may wait for Redis.
  const openingAdmission = openAdmission({ config, workers: siblings?.shared.workers ?? 1, now, outage, signingKeys });
  const limiting = openingAdmission.then(({ limiter }) => limiter);
  deferClosing(limiting);
  const sponsorshipStore = await openSponsorshipStore({ redis: config.rateLimit.redis, telemetry, now });
  defer(() => sponsorshipStore.close());
  const liveFleet = await openLiveFleet({ config: network.config, telemetry });
  defer(() => liveFleet?.close());
  const secrets = watchSecrets({ telemetry });
  defer(secrets.stop);
  const host = {
    config: network.config,
    telemetry,
    now,
    sponsorshipStore,
    liveFleet,
    watchSecret: secrets.watch,
    shareSecret: createShareSecret(config.rateLimit.redis, siblings),
  };
  const connecting = connectUpstreams({ list, network, host, siblings });
  deferClosing(connecting);
  const [admission, upstreams] = await Promise.all([openingAdmission, connecting]);
  const { limiter, addresses } = admission;

  const turns = new FairTurns(thisEventLoop);
  const own = { config, ownFields: list.ownFields, upstreams, limiter, store: sponsorshipStore, turns, now };
  const { graph } = upstreams;
  const toOwnSchema = (news: LedgerNews) => openOwnSchema(own, news);
  const { outdateReads } = upstreams;
  const schema = await watchSchema({ config, graph, outdateReads, telemetry, siblings, toOwnSchema, now });
  defer(() => schema.keeper.stop());

  const shells = openShells({ config, admission, schema, graph, turns, telemetry });
  defer(() => shells.close());
  await shells.warmUp();

  const listener = await openListener({ config, addresses, shells, schema, upstreams, telemetry, siblings, now });
  defer(() => listener.close());
  defer(() => upstreams.stop());

  const adopt: ClientBook['replace'] = (clients) => admission.clients?.replace(clients);
  siblings?.onClients(adopt);
  // Of several processes the one that started the others looks at the file for all.
  const watched = siblings ? null : watchClientsOf(config, { adopt, telemetry });
  defer(() => watched?.stop());

  const { url, graphqlUrl } = listener;
  const { origin } = schema.keeper.current;
  // Of several processes none is the service: theirs is said once, when all of them are ready.
  if (siblings) siblings.ready({ url, graphqlUrl, schema: origin });
  else tellReady(telemetry, config, { graphqlUrl, schema: origin });
  network.completeStart();
  return {
    url,
    announceDrain: listener.announceDrain,
    async reload() {
      await watched?.reload();
      await secrets.reload();
    },
  };
}

/**
 * Tells what a gateway of this configuration would do with an operation. Asks no upstream.
 * @throws SchemaCollisionError when the schema kept cannot be served
 */
export function explainOperation(request: JudgedRequest, config: Config): Promise<Explanation> {
  return explain(request, config, upstreamList.ownFields);
}
