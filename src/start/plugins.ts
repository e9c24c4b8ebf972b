import { url } from '../config/value-types.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { describeTransaction, type PolicyDecider } from '../sponsor/policy-hook.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { OperationFacts } from '../telemetry/request-line.ts';
import type { OperationContext } from '../upstream/operation-context.ts';
import type { OwnFieldsUpstream, UpstreamHost } from '../upstream/upstream.ts';
import { toGatewayError } from '../upstream/upstream-call-error.ts';
import type { CallService, Plugin, OwnFieldsUpstream as PluginFields } from './embedding.ts';
import { type UpstreamList, upstreamList } from './upstreams.ts';

type Plugins = readonly Plugin[];

export function withPluginFields(plugins: Plugins = []): UpstreamList {
  const added = plugins.flatMap(({ fields }) => (fields ? [toUpstream(fields)] : []));
  return added.length === 0 ? upstreamList : { ...upstreamList, ownFields: [...upstreamList.ownFields, ...added] };
}

function toUpstream({ name, setting, typeDefs, resolvers }: PluginFields): OwnFieldsUpstream<UpstreamHost> {
  return {
    role: 'own fields',
    name,
    setting: { name: setting, key: { type: url('http', 'https'), description: `The base address of ${name}.` } },
    addressOnDevnet: null,
    typeDefs: () => typeDefs,
    connect(connection, { config }) {
      const call: CallService = async (path, context) => {
        if (!connection) throw gatewayError('NOT_CONFIGURED', `${setting} is not set.`, { upstream: name, setting });
        const { cancellation } = context as OperationContext;
        const request = { method: 'GET', path: connection.path.replace(/\/$/, '') + path, cancellation } as const;
        const response = await connection.call({ ...request, timeoutMs: config.timeouts.queryMs }).catch((error) => {
          throw toGatewayError(error, name);
        });
        if (response.status === 200) return response.body.toString('utf8');
        throw gatewayError('UPSTREAM_BAD_RESPONSE', `The ${name} upstream did not return a result.`, {
          upstream: name,
        });
      };
      return { resolvers: resolvers(call) };
    },
    callsOf: () => ({ calls: 1 }),
  };
}

/** What a plugin throws is logged, and counts as no decision. */
export function toDeciders(
  plugins: Plugins,
  { errorMasked }: Pick<Telemetry, 'errorMasked'>,
): readonly PolicyDecider[] {
  return plugins.flatMap(({ onSponsorship: decide }): PolicyDecider[] => {
    if (!decide) return [];
    const ask: PolicyDecider = async (subject) => decide(describeTransaction(subject, subject.caller.rate.key));
    return [(subject) => Promise.resolve(ask(subject)).catch((error) => errorMasked(error, subject.requestId))];
  });
}

/** Tells plugins what the telemetry is told. Without such plugins, nothing is wrapped. */
export function observeWith(telemetry: Telemetry, plugins: Plugins): Telemetry {
  const onOperation = plugins.flatMap(({ onOperation: hook }) => hook ?? []);
  const onUpstreamCall = plugins.flatMap(({ onUpstreamCall: hook }) => hook ?? []);
  const tell = <Facts>(hooks: readonly ((facts: Facts) => unknown)[], facts: Facts, requestId?: string) => {
    for (const hook of hooks)
      (async () => hook(facts))().catch((error: unknown) => telemetry.errorMasked(error, requestId));
  };
  const ended = (operations: readonly OperationFacts[], requestId: string, durationMs: number) => {
    for (const { caller, name, type, plan, errors } of operations)
      tell(onOperation, { requestId, caller, name, type, plan, errors, durationMs }, requestId);
  };
  const observed = { ...telemetry };
  if (onOperation.length > 0) {
    observed.requestAnswered = (request, address) => {
      telemetry.requestAnswered(request, address);
      ended(request.operations, request.requestId, request.durationMs);
    };
    observed.socketOperationEnded = (operation, address) => {
      telemetry.socketOperationEnded(operation, address);
      ended(operation.operations, operation.requestId, operation.durationMs);
    };
  }
  if (onUpstreamCall.length > 0)
    observed.upstreamCalled = (upstream, outcome, durationMs, reason) => {
      telemetry.upstreamCalled(upstream, outcome, durationMs, reason);
      tell(onUpstreamCall, { upstream, outcome, durationMs });
    };
  return observed;
}
