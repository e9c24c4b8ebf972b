import { gatewayError } from '../../errors/gateway-error.ts';

type Resolve = (...args: never[]) => unknown;
interface Sponsorship {
  readonly Mutation: { readonly reserveGas: Resolve; readonly executeTx: Resolve };
}

/**
 * Refuses sponsorship while the store of the shared counts is away: each instance would count for itself, and callers would
 * get their allowance of the sponsor's gas once per instance.
 * @param isShared asked before each mutation; must resolve soon, because the mutation waits for it
 */
export function requireSharedStore<Resolvers extends Sponsorship>(
  resolvers: Resolvers,
  isShared: () => Promise<boolean>,
): Resolvers {
  const guarded = <Field extends Resolve>(resolve: Field) =>
    (async (...args: never[]) => {
      if (await isShared()) return resolve(...args);
      const message =
        'Sponsorship waits until what the instances of this gateway share is back; nothing was sent to the sponsor.';
      throw gatewayError('UPSTREAM_UNAVAILABLE', message, { upstream: 'sponsor' });
    }) as Resolve as Field;
  const { reserveGas, executeTx } = resolvers.Mutation;
  return {
    ...resolvers,
    Mutation: { ...resolvers.Mutation, reserveGas: guarded(reserveGas), executeTx: guarded(executeTx) },
  };
}
