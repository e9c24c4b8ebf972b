import { configKey } from './config-key.ts';
import { defaults } from './defaults.ts';
import { boolean, host, integer, networks, origins } from './value-kinds.ts';

export const listenerKeys = {
  HOST: configKey({
    group: 'Listener',
    kind: host,
    fallback: defaults.host,
    description:
      'The address to listen on. The default is reachable from this machine only; `0.0.0.0` means every IPv4 interface.',
    inForce: true,
  }),
  PORT: configKey({
    group: 'Listener',
    kind: integer(0, 65_535),
    fallback: defaults.port,
    description: 'The TCP port to listen on. `0` takes any free one; the one chosen is logged.',
    inForce: true,
  }),
  CORS_ORIGINS: configKey({
    group: 'Listener',
    kind: origins,
    fallback: '*',
    description:
      'The web origins whose pages may read answers. `*` is every origin; browsers are never told to send cookies or other credentials of their own accord.',
    inForce: true,
  }),
  TRUSTED_PROXIES: configKey({
    group: 'Listener',
    kind: networks,
    fallback: null,
    description:
      'Peers whose `X-Forwarded-For` is believed when a caller is told apart by address. Unset: nobody is believed.',
    inForce: true,
  }),
  GRAPHIQL: configKey({
    group: 'Listener',
    kind: boolean,
    fallback: true,
    description: 'Whether browsers that open `/graphql` get GraphiQL. It needs no other server.',
    inForce: true,
  }),
  INTROSPECTION: configKey({
    group: 'Listener',
    kind: boolean,
    fallback: true,
    description:
      'Whether clients may read the schema. When `false`, GraphiQL has no documentation and code generators need a schema file.',
    inForce: true,
  }),
};
