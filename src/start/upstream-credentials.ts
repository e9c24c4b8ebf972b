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

/** Logs that an upstream rejects the gateway's own credentials; `undefined` where the operator cannot set them. */
export function toRejectionLog(
  { settings }: Pick<Config, 'settings'>,
  upstream: Pick<Upstream, 'name' | 'setting'>,
  telemetry: Pick<Telemetry, 'credentialsRejected'>,
): ConnectOptions['onRejected'] {
  const setting = headersSetting(upstream);
  // The sponsor's may be those of a caller.
  if (!(setting in settings) || setting === 'SPONSOR_HEADERS') return undefined;
  return (status) => telemetry.credentialsRejected({ upstream: upstream.name, status, setting });
}
