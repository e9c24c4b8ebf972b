import type { Config } from '../config/config.ts';
import { addedHeaders, revealHeaders } from '../config/value-types.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { ConnectOptions } from '../upstream/connect-upstream.ts';
import type { AddedHeaders } from '../upstream/send-call.ts';
import type { Upstream, UpstreamHost } from '../upstream/upstream.ts';

/**
 * The headers that the operator adds to each request of an upstream.
 * @param watchSecret left out: a changed file is not reloaded
 */
export function openAddedHeaders(
  { headers }: Pick<Config, 'headers'>,
  { setting }: Pick<Upstream, 'setting'>,
  watchSecret?: UpstreamHost['watchSecret'],
): AddedHeaders {
  const configured = headers[setting.name];
  const added = { list: revealHeaders(configured?.value ?? null) };
  if (configured) {
    watchSecret?.({
      setting: `${configured.setting}_FILE`,
      path: configured.file,
      type: addedHeaders,
      adopt: (changed) => {
        added.list = revealHeaders(changed);
      },
    });
  }
  return added;
}

/**
 * Counts and logs the end of each call, and logs when the upstream begins to reject the gateway's own credentials. Not for the
 * sponsor, where the credentials may be those of a caller.
 */
export function watchCredentials(
  { headers }: Pick<Config, 'headers'>,
  { setting }: Pick<Upstream, 'setting'>,
  telemetry: Pick<Telemetry, 'upstreamCalled' | 'credentialsRejected'>,
): Required<ConnectOptions>['onCallEnded'] {
  const advice = headers[setting.name]?.setting;
  let wasRejected = false;
  return (upstream, outcome, ...rest) => {
    telemetry.upstreamCalled(upstream, outcome, ...rest);
    if (typeof outcome !== 'number' || advice === undefined || setting.name === 'SPONSOR_URL') return;
    const isRejected = outcome === 401 || outcome === 403;
    if (isRejected && !wasRejected) telemetry.credentialsRejected({ upstream, status: outcome, setting: advice });
    wasRejected = isRejected;
  };
}
