import type { Feature } from '../../generated/ledger.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import type { GraphqlLimits } from '../graphql-limits.ts';
import { toServedVersion } from '../rpc-version.ts';

const shown = [
  'maxQueryDepth',
  'maxQueryNodes',
  'maxOutputNodes',
  'maxDbQueryCost',
  'defaultPageSize',
  'maxPageSize',
  'mutationTimeoutMs',
  'requestTimeoutMs',
  'maxTransactionPayloadSize',
  'maxQueryPayloadSize',
  'maxTypeArgumentDepth',
  'maxTypeArgumentWidth',
  'maxTypeNodes',
  'maxMoveValueDepth',
  'maxTransactionIds',
  'maxScanLimit',
] as const satisfies readonly (keyof GraphqlLimits)[];

type LimitResolver = (parent: unknown, args: unknown, context: GraphqlContext) => number;

const limitResolvers = Object.fromEntries(
  shown.map((name): [string, LimitResolver] => [name, (_parent, _args, { limits }) => limits[name]]),
) as Record<(typeof shown)[number], LimitResolver>;

export const serviceConfigResolvers = {
  ServiceConfig: {
    ...limitResolvers,
    isEnabled: (_: unknown, args: { readonly feature: Feature }, { features }: GraphqlContext) =>
      features.has(args.feature),
    enabledFeatures: (_: unknown, _args: unknown, { features }: GraphqlContext) => [...features].sort(),
    availableVersions: (_: unknown, _args: unknown, { ledger }: GraphqlContext) => [
      toServedVersion(ledger.buildVersion),
    ],
  },
};
