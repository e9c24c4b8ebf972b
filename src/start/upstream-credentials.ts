import type { Config } from '../config/config.ts';
import type { Secret } from '../config/secret.ts';
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
  { settings }: Pick<Config, 'settings'>,
  upstream: Pick<Upstream, 'setting'>,
  watchSecret?: UpstreamHost['watchSecret'],
): AddedHeaders {
  const setting = headersSetting(upstream);
  const values: Readonly<Record<string, unknown>> = settings;
  const added = { list: revealHeaders((values[setting] ?? null) as Secret | null) };
  const adopt = (changed: Secret) => {
    added.list = revealHeaders(changed);
  };
  watchSecret?.({ setting: `${setting}_FILE`, type: addedHeaders, adopt });
  return added;
}

/** The setting with the headers of an upstream, which upstreams of plugins lack. */
function headersSetting({ setting: { name } }: Pick<Upstream, 'setting'>): string {
  return name.replace(/_URL$/, '_HEADERS');
}

/**
 * Counts and logs the end of each call, and logs when the upstream begins to reject the gateway's own credentials. Not for the
 * sponsor, where the credentials may be those of a caller.
 */
export function watchCredentials(
  { settings }: Pick<Config, 'settings'>,
  upstream: Pick<Upstream, 'setting'>,
  telemetry: Pick<Telemetry, 'upstreamCalled' | 'credentialsRejected'>,
): Required<ConnectOptions>['onCallEnded'] {
  const setting = headersSetting(upstream);
  const isWatched = setting in settings && setting !== 'SPONSOR_HEADERS';
  let wasRejected = false;
  return (name, outcome, ...rest) => {
    telemetry.upstreamCalled(name, outcome, ...rest);
    if (typeof outcome !== 'number' || !isWatched) return;
    const isRejected = outcome === 401 || outcome === 403;
    if (isRejected && !wasRejected) telemetry.credentialsRejected({ upstream: name, status: outcome, setting });
    wasRejected = isRejected;
  };
}
